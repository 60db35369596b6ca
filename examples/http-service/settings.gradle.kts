rootProject.name = "http-service"
