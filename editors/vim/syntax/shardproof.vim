" Syntax of shardproof's kernel files (docs/kernels.md).
if exists("b:current_syntax")
  finish
endif

syntax keyword spStatement mesh let input func assume sequential parallel on repeat for in prove only is expect at
syntax keyword spConditional if then else
syntax keyword spOperator and or not div mod where over
syntax keyword spPlacement replicated shard partial
syntax keyword spVerdict refines violation unproven
syntax keyword spType real int bool
syntax keyword spConstant true false inf
syntax match spCollective /\<\(all_reduce\|reduce_scatter\|all_gather\|all_to_all\|shift\|broadcast\)\ze\s*(/
syntax match spReduction /\<\(sum\|prod\|max\|min\|any\|all\|argmax\|argmin\)\ze\s*(/
syntax match spFunction /\<\(exp\|log\|sqrt\|rsqrt\|tanh\|sigmoid\|erf\|gelu\|silu\|relu\|sin\|cos\|abs\|sign\|floor\|ceil\)\ze\s*(/
syntax match spNumber /\<\d\+\(\.\d\+\)\?\([eE][-+]\?\d\+\)\?\>/
syntax match spCoordinate /@\h\w*/
syntax match spRemote /@\ze(/
syntax match spComment /#.*$/ contains=spTodo
syntax keyword spTodo TODO FIXME contained

highlight default link spStatement Statement
highlight default link spConditional Conditional
highlight default link spOperator Operator
highlight default link spPlacement Keyword
highlight default link spVerdict Keyword
highlight default link spType Type
highlight default link spConstant Constant
highlight default link spCollective Function
highlight default link spReduction Function
highlight default link spFunction Function
highlight default link spNumber Number
highlight default link spCoordinate Identifier
highlight default link spRemote Identifier
highlight default link spComment Comment
highlight default link spTodo Todo

setlocal commentstring=#\ %s
let b:current_syntax = "shardproof"
