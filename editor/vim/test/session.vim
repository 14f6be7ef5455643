" One session of ALE with the real server: through ALE's own commands, looking at the
" buffers that a user sees. Run by run.sh.
set nomore noswapfile
filetype plugin on
let g:ale_hover_to_preview = 1
execute 'set runtimepath^=' . $BRV_ALE
runtime plugin/ale.vim
execute 'source' $BRV_CONFIGURATION

let s:tree = '.brv/context-tree/'
let s:migrations = s:tree . 'database/migrations/online_migrations.md'
let s:access = s:tree . 'authentication/tokens/access_tokens.md'
let s:report = []

function! s:Say(text) abort
  call add(s:report, a:text)
  call writefile(s:report, $BRV_REPORT)
endfunction

function! s:Fail(text) abort
  call s:Say('FAILED  ' . a:text)
  cquit 1
endfunction

" Waits for an expression to come true. Vim handles what servers send while it sleeps.
function! s:Eventually(what, probe) abort
  let l:start = reltime()
  while reltimefloat(reltime(l:start)) < 20
    if a:probe()
      return s:Say(printf('ok      %s (%.0f ms)', a:what, reltimefloat(reltime(l:start)) * 1000))
    endif
    sleep 20m
  endwhile
  call s:Fail(a:what)
endfunction

" Opens a file with the cursor before the last letters of the first place that has a text.
function! s:Go(path, text) abort
  execute 'edit' a:path
  call cursor(1, 1)
  if !search('\V' . a:text, 'ce')
    call s:Fail(a:path . ' has no ' . a:text)
  endif
  call cursor(line('.'), col('.') - 3)
endfunction

function! s:Text(buffer) abort
  return join(getbufline(a:buffer, 1, '$'), "\n")
endfunction

function! s:Some(part) abort
  return !empty(filter(range(1, bufnr('$')), {_, b -> stridx(s:Text(b), a:part) >= 0}))
endfunction

function! s:Hover(part) abort
  ALEHover
  sleep 100m
  return s:Some(a:part)
endfunction

" Opens the menu of code actions; s:menu has what ALE would list.
function! s:Menu(range) abort
  let s:menu = []
  call ale#codefix#Execute(a:range, {data, items -> extend(s:menu, map(copy(items), {_, i -> [data, i[1]]}))})
  call s:Eventually('the menu of code actions', {-> !empty(s:menu)})
endfunction

function! s:Titles() abort
  return map(copy(s:menu), {_, m -> m[1].title})
endfunction

function! s:Choose(title) abort
  let l:at = index(s:Titles(), a:title)
  if l:at < 0
    call s:Fail('no ' . a:title . ' in ' . string(s:Titles()))
  endif
  call call('ale#codefix#ApplyLSPCodeAction', s:menu[l:at])
endfunction

function! s:Session() abort
  call s:Say(printf('Vim %d.%d', v:version / 100, v:version % 100))

  call s:Go(s:migrations, '@database/backups/restore.md')
  ALELint
  call s:Eventually('a relation that leads nowhere is a problem', {-> !empty(filter(copy(getloclist(0)), {_, p -> p.lnum == 16 && p.text =~# 'no such entry'}))})

  call s:Menu(0)
  if s:Titles()[0] !~# '^Create missing entry'
    call s:Fail('the fix is not first: ' . string(s:Titles()))
  endif
  call s:Choose('Create missing entry database/backups/restore.md')
  call s:Eventually('its fix fills a buffer with the entry', {-> s:Text(bufnr('database/backups/restore.md')) =~# 'title: Restore'})
  if filereadable(s:tree . 'database/backups/restore.md')
    call s:Fail('the entry was written without the user')
  endif
  call s:Eventually('… and the problem is gone', {-> empty(getloclist(0))})

  call s:Go(s:migrations, '@authentication/tokens/refresh_rotation.md')
  call s:Eventually('hover on a relation', {-> s:Hover('A refresh token is used once')})
  pclose
  ALEGoToDefinition
  call s:Eventually('definition of a relation', {-> expand('%:p') =~# 'refresh_rotation\.md$' && line('.') == 2})

  call s:Go(s:access, 'Access tokens')
  call s:Rename('Access passes')
  call s:Eventually('rename of a title', {-> getline(2) ==# 'title: "Access passes"'})
  silent write

  call s:Go('src/auth/tokens.ts', 'rotateRefreshToken')
  call s:Eventually('hover on a code symbol', {-> s:Hover('names `rotateRefreshToken`')})
  pclose
  execute "normal! Vj\<Esc>"
  call s:Menu(1)
  call s:Choose('Write down what the next person should know')
  call s:Eventually('a curated selection is a buffer to be saved', {-> s:Text(bufnr('tokens/rotate_refresh_token.md')) =~# 'title: '})
endfunction

" What :ALERename does behind its question.
function! s:Rename(name) abort
  call feedkeys(":ALERename\<CR>\<C-u>" . a:name . "\<CR>", 'tx')
endfunction

try
  call s:Session()
catch
  call s:Fail(v:exception . ' ' . v:throwpoint)
endtry
qall!
