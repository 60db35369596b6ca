rootProject.name = "fix-sessions"
