autocmd BufNewFile,BufRead *.sp setfiletype shardproof
