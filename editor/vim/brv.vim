" brv-lsp in Vim with ALE: for ~/.vim/after/plugin/.
" Vim has to know files that are changed but not shown: ALE fills new entries in the background.
set hidden

" Answers come as messages of the server, which ALE drops unless they are errors.
let g:ale_lsp_show_message_severity = 'information'

" The folder that the server opens: with the nearest context tree, else the repository.
function! BrvRoot(buffer) abort
  for l:marker in ['.brv', '.git']
    let l:found = finddir(l:marker, fnamemodify(bufname(a:buffer), ':p:h') . ';')
    if !empty(l:found)
      return fnamemodify(l:found, ':p:h:h')
    endif
  endfor
  return ''
endfunction

" Entries, and code: beside the linters that you have for it.
for s:language in ['markdown', 'typescript', 'javascript', 'go', 'python', 'rust']
  call ale#linter#Define(s:language, {
  \   'name': 'brv',
  \   'lsp': 'stdio',
  \   'executable': {-> get(g:, 'brv_executable', 'brv-lsp')},
  \   'command': '%e',
  \   'project_root': function('BrvRoot'),
  \   'language': s:language,
  \ })
endfor
