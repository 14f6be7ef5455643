package curate

import "testing"

// A new topic is named after what says most of a file: its folder, and its name.
func TestOwnTopic(t *testing.T) {
	for file, want := range map[string]string{
		"src/auth/jwt.ts":                  "auth/jwt",
		"src/history.ts":                   "project/history",
		"src/index.ts":                     "project/overview",
		"db/migrations/0007_add_users.sql": "db/migrations",
		"migrations/0007_add_users.sql":    "project/migrations",
		"7.go":                             "project/7",
		"src/rfc7231.go":                   "project/rfc7231",
		"src/404.tsx":                      "project/404",
		"src/auth/userProfile.go":          "auth/user_profile",
		"docs/UploadDesign.md":             "project/upload_design",
		"docs/adr/0007-use-redis.md":       "project/adr",
		"docs/posts/2026-11-22-uploads.md": "project/posts",
		"docs/0007-use-redis.md":           "project/use_redis",
		"docs/設計.md":                       "project/設計",
		"docs/http2.md":                    "project/http2",
		"docs/3d-models.md":                "project/3d_models",
		"README.md":                        "project/overview",
		"auth/README.md":                   "auth/overview",
		"docs/index.md":                    "project/overview",
	} {
		if got := ownTopic(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

// TestTopicsHaveTheirForm of a domain and a topic.
func TestTopicsHaveTheirForm(t *testing.T) {
	for topic, ok := range map[string]bool{
		"auth/jwt": true, "auth/jwt/keys": true, "Überblick/größe": true, "auth": false, "": false,
		"a/b/c/d": false, "../x": false, "a//b": false, "auth/.x": false, "auth/jwt/": false,
	} {
		if err := CheckTopic(topic); (err == nil) != ok {
			t.Errorf("%q: %v", topic, err)
		}
	}
}
