package dev.decant.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.testkit.RepositoryJars;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DoctorCommandTest {
  /** Flags without a finding on any machine that runs this test. */
  private static final String GOOD = "-XX:+UseG1GC -XX:ActiveProcessorCount=2 -Xmx256m -XX:G1HeapRegionSize=4m"
      + " -XX:MaxDirectMemorySize=96m -XX:ParallelGCThreads=1 -XX:ConcGCThreads=1";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int doctor(String arguments) {
    CommandLine command = Decant.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(("doctor " + arguments).strip().split(" ", -1));
  }

  @Test
  void goodFlagsAreOneLine() {
    assertThat(doctor("-- " + GOOD)).isZero();

    assertThat(out.toString()).startsWith("all is well: ").endsWith(", 2 processors, heap up to 256 MiB\n")
        .hasLineCount(1);
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "-XX:+UseSerialGC -XX:ActiveProcessorCount=2 | WARNING  gc.serial | -XX:+UseG1GC instead of -XX:+UseSerialGC",
      "-XX:ActiveProcessorCount=1 | WARNING  gc.serial | -XX:ActiveProcessorCount=2 or more, or name the collector",
      "-Xmx64m | WARNING  memory.direct | -XX:MaxDirectMemorySize=96m or more",
      "-Xmx64m | INFO  heap.small | -Xmx128m or more"})
  void misfitIsNamedWithItsCure(String flags, String finding, String cure) {
    assertThat(doctor("-- " + flags)).isEqualTo(1);

    assertThat(out.toString()).contains("\n" + finding + "\n  measured  ", "\n  cure      " + cure);
  }

  @Test
  void findingsOfSeverityInfoLeaveTheExitCodeZero() {
    assertThat(doctor("--largest-buffer 4000000 -- " + GOOD)).isZero();

    assertThat(out.toString()).contains("INFO  gc.humongous").contains("-XX:G1HeapRegionSize=8m");
  }

  @Test
  void jsonHasTheJvmAndAllPartsOfAFinding() throws IOException {
    assertThat(doctor("--json --virtual-threads -- -Djdk.pollerMode=2 -XX:TieredStopAtLevel=1 " + GOOD)).isEqualTo(1);

    JsonNode root = new ObjectMapper().readTree(out.toString());
    assertThat(root.get("processors").asInt()).isEqualTo(2);
    assertThat(root.get("max_heap_bytes").asLong()).isEqualTo(256L << 20);
    assertThat(root.get("allocation_bytes_per_second").asLong()).isEqualTo(-1);
    assertThat(root.get("findings").findValuesAsText("id")).containsExactly("carriers.pollers", "jvm.tiers");
    JsonNode tiers = root.get("findings").get(1);
    assertThat(tiers.get("severity").asText()).isEqualTo("WARNING");
    assertThat(tiers.get("cure").asText()).isEqualTo("drop -XX:TieredStopAtLevel=1");
    assertThat(tiers.get("measured").asText()).isNotBlank();
    assertThat(tiers.get("why").asText()).isNotBlank();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {"-- -XX:+NoSuchFlag | Unrecognized VM option 'NoSuchFlag'",
      "-- -Xmxplenty | Invalid maximum heap size: -Xmxplenty",
      "-- -XX:+UseG1GC -XX:+UseSerialGC | Multiple garbage collectors",
      "-- -Xms64m -Xmx32m | Initial heap size", "-- -javaagent:nowhere.jar | nowhere.jar",
      "-- -version | does something else and ends", "-- serial | 'serial' is no flag of java",
      "-- -jar app.jar | -jar starts a program", "-XX:+UseSerialGC | flags of java go after --",
      "--pid 1 -- -Xmx1g | --pid examines a JVM that runs already", "--pid 0 | --pid must be positive",
      "--pid 4194305 | there is no process 4194305", "--pid many | many", "--watch -1 | --watch",
      "--pools -1 | --pools",
      "--largest-buffer -1 | --largest-buffer"})
  void wrongInputIsOneLineThatNamesIt(String arguments, String named) {
    assertThat(doctor(arguments)).isEqualTo(Decant.USAGE);

    assertThat(err.toString().strip()).startsWith("decant: ").contains(named).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  /** Checks the message: the JDK's own has the whole command line, which may have passwords. */
  @Test
  void processThatIsNoJvmIsOneLineWithItsExecutableOnly() throws IOException {
    Process process = new ProcessBuilder("sleep", "100.25").start();
    try {
      assertThat(doctor("--pid " + process.pid())).isEqualTo(Decant.USAGE);
    } finally {
      process.destroyForcibly();
    }
    assertThat(err.toString().strip()).startsWith("decant: process " + process.pid() + " (")
        .contains("sleep) is no JVM")
        .doesNotContain("100.25").hasLineCount(1);
  }

  @Test
  void jvmThatLetsNobodyAttachIsOneLineThatNamesTheFlag() throws IOException {
    Process process = allocating("-XX:+DisableAttachMechanism");
    try {
      assertThat(doctor("--pid " + process.pid())).isEqualTo(Decant.FAILURE);
    } finally {
      process.destroyForcibly();
    }
    assertThat(err.toString().strip()).hasLineCount(1).contains(process.pid() + " (" + Allocating.class.getName() + ")",
        "-XX:+DisableAttachMechanism");
  }

  @Test
  void thisCommandDoesNotExamineItself() {
    assertThat(doctor("--pid " + ProcessHandle.current().pid())).isEqualTo(Decant.USAGE);

    assertThat(err.toString().strip()).endsWith("is this command itself; give the process id of another JVM")
        .hasLineCount(1);
  }

  @Test
  void jvmThatRunsAlreadyIsNamedByItsMainClassUserUptimeAndFlagsButNotByWhatMayBeSecret() throws IOException {
    Process process = allocating("-Dmy.password=secret");
    try {
      assertThat(doctor("--pid " + process.pid() + " --watch 0")).isEqualTo(1);
    } finally {
      process.destroyForcibly();
    }

    List<String> lines = out.toString().lines().toList();
    String user = ProcessHandle.current().info().user().map(name -> "user " + name + ", ").orElse("");
    assertThat(lines.getFirst()).matches(Pattern.quote(
        "process " + process.pid() + ": " + Allocating.class.getName() + ", " + user + "up ") + "\\d+ (s|min \\d+ s)");
    assertThat(lines.get(1)).startsWith("flags: -XX:+UseSerialGC ").contains(" -Xmx32m").endsWith(" -Dmy.password=...");
    assertThat(lines.get(2)).contains(System.getProperty("java.vm.version"), "2 processors");
    assertThat(out.toString()).doesNotContain("secret", "an-argument");
  }

  @Test
  void jvmThatRunsAlreadyIsExaminedAndItsAllocationMeasured() throws IOException {
    Process process = allocating("-Xss1m");
    try {
      assertThat(doctor("--pid " + process.pid() + " --watch 1 --json")).isEqualTo(1);
    } finally {
      process.destroyForcibly();
    }

    JsonNode root = new ObjectMapper().readTree(out.toString());
    assertThat(root.get("pid").asLong()).isEqualTo(process.pid());
    assertThat(root.get("allocation_bytes_per_second").asLong()).isPositive();
    assertThat(root.get("running").get("program").asText()).isEqualTo(Allocating.class.getName());
    assertThat(root.get("running").get("uptime_millis").asLong()).isPositive();
    assertThat(root.get("running").get("flags").get(0).asText()).isEqualTo("-XX:+UseSerialGC");
    assertThat(root.get("findings").findValuesAsText("id")).contains("gc.serial", "memory.direct")
        .doesNotContain("heap.small");
  }

  private static Process allocating(String flag) throws IOException {
    Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=2", "-Xmx32m", flag, "-cp",
        RepositoryJars.locationOf(DoctorCommandTest.class), Allocating.class.getName(), "an-argument")).start();
    assertThat(process.inputReader().readLine()).isEqualTo("up"); // after this line the process can be attached to
    return process;
  }

  /** Allocates a little, again and again, until it is killed or its parent has ended. */
  static final class Allocating {
    private Allocating() {}

    public static void main(String[] arguments) throws IOException {
      Thread allocating = new Thread(() -> {
        while (true) {
          if (new byte[1024].length == 0) {
            return;
          }
          java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
      });
      allocating.setDaemon(true);
      allocating.start();
      System.out.println("up");
      while (System.in.read() >= 0) {
        // until the input ends
      }
    }
  }
}
