plugins {
  java
  id("org.springframework.boot") version "4.1.2"
  id("io.spring.dependency-management") version "1.1.7"
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
  implementation("org.springframework.boot:spring-boot-starter-kafka")
  implementation("dev.decant:decant-spring-boot-starter")
  // the native client, and its meters
  implementation("dev.decant:decant-kafka-work")
  implementation("dev.decant:decant-micrometer")
  // health, metrics and the endpoint decant, by HTTP
  implementation("org.springframework.boot:spring-boot-starter-webmvc")
  implementation("org.springframework.boot:spring-boot-starter-actuator")
  runtimeOnly("io.micrometer:micrometer-registry-prometheus")
}
