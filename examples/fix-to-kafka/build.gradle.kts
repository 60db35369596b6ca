plugins {
  application
}

group = "com.example"
version = "1"

java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }

repositories {
  mavenLocal()
  mavenCentral()
}

dependencies {
  implementation(platform("dev.decant:decant-bom:0.1.0-SNAPSHOT"))
  implementation("dev.decant:decant-fix")
  implementation("dev.decant:decant-kafka-work")
  implementation("dev.decant:decant-micrometer")
  implementation("io.micrometer:micrometer-registry-prometheus:1.17.2")
}

application { mainClass = "com.example.gateway.Gateway" }
