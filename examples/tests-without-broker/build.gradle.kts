plugins {
  java
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
  testImplementation(platform("dev.decant:decant-bom:0.1.0-SNAPSHOT"))
  implementation("dev.decant:decant-kafka")
  testImplementation("dev.decant:decant-fake-broker")
  testImplementation("org.junit.jupiter:junit-jupiter:6.0.0")
  testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test { useJUnitPlatform() }
