package dev.decant.lab.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.tools.attach.AttachNotSupportedException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExaminedProcessTest {
  private static final ExaminedProcess OTHER = new ExaminedProcess(7, "com.example.Orders", true, "app");

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"-Xmx1g -cp a.jar:b.jar com.example.Main --password=x | com.example.Main",
      "-Dkey=value -jar /opt/orders/orders.jar secret | orders.jar",
      "-p mods -m com.example/com.example.Main secret | com.example/com.example.Main",
      "--module=com.example secret | com.example",
      "--add-opens java.base/java.lang=ALL-UNNAMED @flags com.example.Main | com.example.Main", "@everything | ''",
      "-jar | ''"})
  void aLauncherIsNamedByWhatItStartsWithoutArguments(String arguments, String main) {
    assertThat(ExaminedProcess.mainOf(List.of(arguments.split(" ", -1))).orElse("")).isEqualTo(main);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|',
      value = {"com.example.Main secret | com.example.Main", "/opt/orders.jar secret | orders.jar",
          "'' | /opt/jdk/bin/java"})
  void aLauncherWhoseCommandLineDoesNotTellIsNamedByTheJvm(String javaCommand, String program) {
    ExaminedProcess unknown = new ExaminedProcess(7, "/opt/jdk/bin/java", true, "app");

    assertThat(unknown.named(javaCommand).program()).isEqualTo(program);
    assertThat(OTHER.named(javaCommand)).isEqualTo(OTHER);
  }

  @Test
  void valuesOfPropertiesAndAgentsAreNotShown() {
    assertThat(ExaminedProcess.shown(List.of("-Dpassword=x", "-Dswitch", "-javaagent:a.jar=key=x", "-XX:MaxRAM=1g",
        "--add-opens=java.base/java.lang=ALL-UNNAMED"))).containsExactly("-Dpassword=...", "-Dswitch",
            "-javaagent:a.jar=...", "-XX:MaxRAM=1g", "--add-opens=java.base/java.lang=ALL-UNNAMED");
  }

  @Test
  void thisJvmIsFoundWithItsUser() {
    ExaminedProcess self = ExaminedProcess.of(ProcessHandle.current().pid()).orElseThrow();

    assertThat(self.isJava()).isTrue();
    assertThat(self.program()).isNotEmpty().doesNotContain(" ");
    assertThat(self.user()).isEqualTo(ProcessHandle.current().info().user().orElse(""));
  }

  @Test
  void aJvmOfAnotherUserIsRefusedWithThatUser() {
    DoctorException refusal = AttachedJvm.refusal(OTHER, "root", new IOException("cmd: 'java --password=x'"));

    assertThat(refusal.isWrongInput()).isFalse();
    assertThat(refusal.getMessage()).isEqualTo("process 7 (com.example.Orders) runs as user app, and a JVM lets nobody"
        + " else attach; run decant doctor as that user");
  }

  @Test
  void whyAProcessOfTheSameUserIsRefusedDependsOnWhetherItIsAJvm() {
    Exception error = new AttachNotSupportedException("cmd: 'x --password=x'");

    assertThat(AttachedJvm.refusal(OTHER, "app", error).isWrongInput()).isFalse();
    DoctorException noJvm = AttachedJvm.refusal(new ExaminedProcess(8, "/bin/sleep", false, "app"), "app", error);
    assertThat(noJvm.isWrongInput()).isTrue();
    assertThat(noJvm.getMessage()).startsWith("process 8 (/bin/sleep) is no JVM").doesNotContain("password");
  }

  @ParameterizedTest
  @CsvSource({"1.8, 8", "17, 17", "20, 20"})
  void anOldJvmIsRefusedWithItsRelease(String release, String named) {
    assertThatThrownBy(() -> AttachedJvm.requireRelease(OTHER, release)).isInstanceOf(DoctorException.class)
        .hasMessage("process 7 (com.example.Orders) runs Java " + named
            + ", and Decant needs Java 21 or newer: start it with a newer JDK");
  }

  @Test
  void aNewJvmIsTaken() {
    assertThatCode(() -> AttachedJvm.requireRelease(OTHER, "21")).doesNotThrowAnyException();
    assertThatCode(() -> AttachedJvm.requireRelease(OTHER, "26")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({"0, 0 s", "59999, 59 s", "61000, 1 min 1 s", "7500000, 2 h 5 min", "180000000, 2 d 2 h"})
  void anUptimeHasTwoUnits(long millis, String text) {
    assertThat(Diagnosis.uptime(millis)).isEqualTo(text);
  }
}
