package terms

import "testing"

func TestTasksInOtherLanguages(t *testing.T) {
	for task, want := range map[string]string{
		"修改密码":                       " modified modifications password",
		"fix the password reset":     "",
		"retry_budget is ignored":    "",
		"Ordner werden nie gelöscht": " folder never delete",
	} {
		if got := InEnglish(task); got != want {
			t.Errorf("%s: %q, want %q", task, got, want)
		}
	}
}
