;;; session.el --- one session of eglot with the real server  -*- lexical-binding: t -*-
;; Through eglot's own commands, in any Emacs from 28 on. Run by run.sh.

(load (getenv "BRV_CONFIGURATION") nil t)
(setq eglot-sync-connect 20 eglot-connect-timeout 20 eglot-confirm-server-initiated-edits nil
      eglot-confirm-server-edits nil make-backup-files nil create-lockfiles nil)

(defconst tree (expand-file-name ".brv/context-tree/"))
(defconst migrations (concat tree "database/migrations/online_migrations.md"))
(defconst access (concat tree "authentication/tokens/access_tokens.md"))

(defun say (format &rest arguments) (princ (concat (apply #'format format arguments) "\n")))

(defun check (claim what) (unless claim (error "%s" what)))

(defun eventually (what probe)
  "Wait until PROBE returns something, and return it."
  (let ((end (+ (float-time) 20)) value)
    (while (not (or (setq value (funcall probe)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (check value (concat what ": not within 20 s"))
    value))

(defun go-to (path text)
  "Open a file with point before the last letters of the first place that has TEXT."
  (find-file path)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (- (match-end 0) 4)))

(defun ask (method parameters) (jsonrpc-request (eglot-current-server) method parameters))

(defun hover ()
  "What eglot shows about the place at point."
  (let ((answer (ask :textDocument/hover (eglot--TextDocumentPositionParams))))
    (if answer
        (substring-no-properties
         (format "%s" (eglot--hover-info (plist-get answer :contents) (plist-get answer :range))))
      "")))

(defun choose (answers action)
  "Run ACTION; choose what begins with one of ANSWERS whenever there is a choice."
  (let ((last-nonmenu-event ?a) ; else eglot takes it for a mouse click
        (completing-read-function
         (lambda (_prompt collection &rest _)
           (let ((titles (all-completions "" collection)))
             (or (seq-find (lambda (title) (seq-some (lambda (a) (string-prefix-p a title)) answers)) titles)
                 (error "none of %S in %S" answers titles))))))
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (&rest _) t)))
      (funcall action))))

(defun text-of (path)
  (let ((buffer (find-buffer-visiting path)))
    (if buffer (with-current-buffer buffer (buffer-string)) "")))

(defmacro test (name &rest body)
  (declare (indent 1))
  `(let ((start (float-time)))
     (condition-case problem (progn ,@body)
       (error (say "FAILED  %s: %S" ,name problem) (kill-emacs 1)))
     (say "ok      %s (%.0f ms)" ,name (* 1000 (- (float-time) start)))))

(say "Emacs %s" emacs-version)

(test "the server starts by itself, in the folder with the tree"
  (find-file access)
  (let ((noninteractive nil)) (run-hooks 'post-command-hook))
  (unless (eglot-managed-p) (apply #'eglot (eglot--guess-contact)))
  (eventually "a server" #'eglot-managed-p)
  (check (file-equal-p (project-root (eglot--project (eglot-current-server))) (getenv "PWD")) "another folder"))

(test "hover on a relation shows the entry it leads to"
  (go-to migrations "@authentication/tokens/refresh_rotation.md")
  (eventually "the hover" (lambda () (string-match-p "A refresh token is used once" (hover)))))

(test "definition of a relation after non-ASCII text opens the entry at its title"
  (go-to access "@authentication/tokens/refresh_rotation.md")
  (call-interactively #'xref-find-definitions)
  (check (string-suffix-p "refresh_rotation.md" buffer-file-name) buffer-file-name)
  (check (= (line-number-at-pos) 2) "not at the title"))

(test "a relation that leads nowhere is a problem"
  (go-to migrations "@database/backups/restore.md")
  (eventually "the problem"
              (lambda () (flymake-start)
                (seq-some (lambda (d) (string-match-p "no such entry" (flymake-diagnostic-text d)))
                          (flymake-diagnostics (point))))))

(test "its fix makes the entry"
  (choose '("Create missing entry") (lambda () (call-interactively #'eglot-code-actions)))
  (eventually "the entry" (lambda () (string-match-p "title: Restore" (text-of (concat tree "database/backups/restore.md"))))))

(test "completion behind @ has the paths"
  (go-to access "Renewal")
  (end-of-line)
  (insert " and @rota")
  (let* ((found (run-hook-with-args-until-success 'completion-at-point-functions))
         (all (all-completions "" (nth 2 found))))
    (check (seq-some (lambda (c) (string-match-p "refresh_rotation" c)) all) (format "only %S" all)))
  (delete-char -10)
  (eglot--signal-textDocument/didChange)) ; what eglot does when the user pauses

(test "rename of a title"
  (go-to access "Access tokens")
  (eglot-rename "Access passes")
  (eventually "the new title" (lambda () (string-match-p "^title: \"Access passes\"" (buffer-string)))))

(test "a selection is kept as an entry, after a question"
  (go-to migrations "Expand first")
  (choose '("Write down what the next person should know" "Write")
          (lambda () (eglot-code-actions (line-beginning-position) (line-end-position) nil t)))
  (eventually "the entry"
              (lambda () (seq-some (lambda (b) (string-match-p "/expand_first.*md" (or (buffer-file-name b) "")))
                                   (buffer-list)))))

(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs 0)
