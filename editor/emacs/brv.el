;;; brv.el --- brv-lsp with eglot  -*- lexical-binding: t -*-
;; For Emacs 29 and newer, and for Emacs 28 with the package eglot. Load it from your init file.

(require 'eglot)

;; Entries have a mode of their own, so that other Markdown keeps its server.
(if (require 'markdown-mode nil t)
    (define-derived-mode brv-entry-mode markdown-mode "Entry")
  (define-derived-mode brv-entry-mode text-mode "Entry"))
(add-to-list 'auto-mode-alist '("/\\.brv/context-tree/.*\\.md\\'" . brv-entry-mode))
(add-to-list 'eglot-server-programs '((brv-entry-mode :language-id "markdown") . ("brv-lsp")))
(add-hook 'brv-entry-mode-hook #'eglot-ensure)

(defun brv-project (dir)
  "The folder with the context tree of DIR: eglot would else open the folder of the entry."
  (when (derived-mode-p 'brv-entry-mode)
    (let ((root (locate-dominating-file dir ".brv")))
      (when root (cons 'transient (expand-file-name root))))))
(add-hook 'project-find-functions #'brv-project)

(defun brv-make-folder ()
  "Make the folder of a new entry: Emacs lets nothing be written into a buffer without one."
  (when (string-match-p "/\\.brv/context-tree/" buffer-file-name)
    (make-directory (file-name-directory buffer-file-name) t))
  nil)
(add-hook 'find-file-not-found-functions #'brv-make-folder)

(provide 'brv)
;;; brv.el ends here
