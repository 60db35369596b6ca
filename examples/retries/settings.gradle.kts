rootProject.name = "retries"
