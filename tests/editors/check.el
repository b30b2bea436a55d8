;;; check.el --- What a person does with a .uir file in Emacs  -*- lexical-binding: t -*-
;;; Commentary:
;; UIR_FILE=FILE UIR_PATIENCE=SECONDS emacs --batch -Q -l PACKAGES -l INIT -l check.el
;; FILE has one error, at the 5 of its last line but one (see test_editors.py).  A line "ok NAME" or "FAIL NAME" each.
;;; Code:
(require 'cl-lib)
(require 'flymake)

(setq eglot-sync-connect 30 eglot-send-changes-idle-time 0 flymake-no-changes-timeout nil
      make-backup-files nil auto-save-default nil create-lockfiles nil)

(defvar check-failed nil)
(defvar check-messages "")
(defconst check-patience (string-to-number (getenv "UIR_PATIENCE")))

(defun check (name condition seen)
  "Say whether the check NAME has its CONDITION, and what was SEEN if not."
  (princ (if condition (format "ok %s\n" name) (format "FAIL %s: %S\n" name seen)))
  (unless condition (setq check-failed t)))

(defun check-wait (condition)
  "Wait until the function CONDITION gives something, and give that."
  (let ((end (+ (float-time) check-patience)) found)
    (while (and (not (setq found (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    found))

(advice-add 'message :before
            (lambda (&optional format &rest arguments)
              (when format
                (setq check-messages (concat check-messages "\n" (apply #'format format arguments))))))

(defun check-texts ()
  "The texts of the diagnostics of the buffer, as Flymake has them."
  (flymake-start)
  (mapcar (lambda (d) (format "%d: %s" (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d)))
          (flymake-diagnostics)))

(defun check-hover ()
  "What Eldoc would show of the value at point."
  (let (text)
    (eglot-hover-eldoc-function (lambda (doc &rest _) (setq text doc)))
    (check-wait (lambda () text))))

(defun check-session ()
  "Open the file, read, hover, edit, run."
  (find-file (getenv "UIR_FILE"))
  (run-hooks 'post-command-hook) ; where `eglot-ensure' connects; batch mode has no commands
  (check "attach" (and (eq major-mode 'uir-mode) (check-wait (lambda () eglot--managed-mode))) major-mode)
  (let ((texts (check-wait #'check-texts)) (line (1- (line-number-at-pos (point-max)))))
    (check "diagnostics"
           (and (= (length texts) 1) (string-prefix-p (format "%d: " (1- line)) (car texts))
                (string-match-p "(3, 5)" (car texts)))
           texts))
  (goto-char (point-min))
  (forward-line 1)
  (forward-char 1)
  (let ((hover (check-hover)))
    (check "hover" (and hover (string-match-p "f32\\[12\\]" hover)) hover))
  (goto-char (point-min))
  (search-forward "(3, 5")
  (delete-char -1)
  (insert "4")
  (save-buffer) ; sends the change; in batch mode Emacs is never idle, when it would be sent otherwise
  (check "edit" (check-wait (lambda () (null (check-texts)))) (check-texts))
  (uir-run)
  (check "run"
         (check-wait (lambda () (string-match-p "6\\. 22\\. 38\\.\\(.\\|\n\\)*as expected" check-messages)))
         check-messages)
  (set-buffer-modified-p nil)
  (ignore-errors (eglot-shutdown (eglot-current-server))))

(let ((fault (condition-case fault (progn (check-session) nil) (error fault))))
  (check "no fault" (null fault) fault))
(kill-emacs (if check-failed 1 0))
;;; check.el ends here
