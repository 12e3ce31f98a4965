mesh g[4]

#: end
