package dev.decant.carriers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The carriers of this JVM, with the real system calls. The test reads the effect from /proc, not from Decant. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LinuxCarriersTest {
  private final CarrierPriority priority = CarrierPriority.ofThisJvm();

  @BeforeEach
  void runAVirtualThread() throws InterruptedException {
    Thread.ofVirtual().start(() -> {}).join();
  }

  @AfterEach
  void restore() {
    priority.restore();
  }

  /** The 19th field of stat; the second is a name in parentheses, which may hold spaces. */
  private static int niceOf(String task) throws IOException {
    String stat = Files.readString(Path.of("/proc/self/task", task, "stat"));
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
  }

  private static int niceOf(CarrierThread carrier) throws IOException {
    return niceOf(Integer.toString(carrier.threadId()));
  }

  private static String self() throws IOException {
    return String.valueOf(Path.of("/proc/thread-self").toRealPath().getFileName());
  }

  @Test
  void theCarriersAreLoweredAndNobodyElse() throws IOException {
    PriorityReport report = priority.lower(5);

    assertThat(report.obstacle()).isEmpty();
    assertThat(report.isComplete()).isTrue();
    for (CarrierThread carrier : report.carriers()) {
      assertThat(carrier.nice()).isEqualTo(5);
      assertThat(niceOf(carrier)).isEqualTo(5);
      assertThat(carrier.name()).startsWith("ForkJoi");
    }
    List<Integer> others;
    try (var tasks = Files.list(Path.of("/proc/self/task"))) {
      List<String> carriers = report.carriers().stream().map(carrier -> Integer.toString(carrier.threadId())).toList();
      others = tasks.map(task -> String.valueOf(task.getFileName())).filter(task -> !carriers.contains(task))
          .map(task -> {
            try {
              return niceOf(task);
            } catch (IOException e) {
              return 0; // the thread has ended
            }
          }).distinct().toList();
    }
    assertThat(others).doesNotContain(5);
  }

  @Test
  void codeOnAVirtualThreadRunsOnALoweredThread() throws InterruptedException {
    priority.lower(7);
    AtomicInteger nice = new AtomicInteger(-99);

    Thread.ofVirtual().start(() -> nice.set(niceOfSelf())).join();

    assertThat(nice).hasValue(7);
  }

  /** A trap of which the Javadoc warns: Linux passes the nice value to new threads. */
  @Test
  void aPlatformThreadThatALoweredCarrierStartsBeginsLow() throws InterruptedException {
    priority.lower(7);
    AtomicInteger nice = new AtomicInteger(-99);
    CountDownLatch done = new CountDownLatch(1);

    Thread.ofVirtual().start(() -> Thread.ofPlatform().start(() -> {
      nice.set(niceOfSelf());
      done.countDown();
    })).join();

    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(nice).hasValue(7);
  }

  @Test
  void theyAreRestoredOrTheReportSaysWhichAreNot() throws IOException {
    int before = niceOf(Long.toString(ProcessHandle.current().pid()));
    priority.lower(5);

    PriorityReport report = priority.restore();

    assertThat(report.carriers()).isNotEmpty();
    for (CarrierThread carrier : report.carriers()) {
      assertThat(niceOf(carrier)).isEqualTo(carrier.nice());
      if (carrier.isDone()) {
        assertThat(carrier.nice()).isEqualTo(before);
      } else {
        assertThat(carrier.problem()).contains("CAP_SYS_NICE");
        assertThat(carrier.nice()).isEqualTo(5);
      }
    }
  }

  @Test
  void aThreadThatHasEndedIsSaidToHave() {
    int nobody = Integer.MAX_VALUE;
    LinuxPriorities system = new LinuxPriorities();

    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> system.nice(nobody))).hasMessage("it has ended");
    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> system.setNice(nobody, 5)))
        .hasMessage("it has ended");
  }

  @Test
  void aDefaultJvmPrintsNoWarningAndSaysWhichFlagIsMissing() throws IOException, InterruptedException {
    Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), Plain.class.getName()).redirectErrorStream(true).start();
    try (var out = jvm.getInputStream()) {
      String printed = new String(out.readAllBytes(), StandardCharsets.UTF_8);

      assertThat(printed.strip())
          .isEqualTo("not supported without native access: start the JVM with --enable-native-access=ALL-UNNAMED");
      assertThat(jvm.waitFor()).isZero();
    } finally {
      jvm.destroyForcibly();
    }
  }

  private static int niceOfSelf() {
    try {
      return niceOf(self());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Run without any flag. */
  static final class Plain {
    private Plain() {}

    public static void main(String[] arguments) throws InterruptedException {
      Thread.ofVirtual().start(() -> {}).join();
      System.out.println(CarrierPriority.ofThisJvm().lower(5).obstacle());
    }
  }
}
