-- For vim.lsp.enable('brv'), Neovim 0.11 and newer. Change it with vim.lsp.config('brv', { … }).
return require('brv').config
