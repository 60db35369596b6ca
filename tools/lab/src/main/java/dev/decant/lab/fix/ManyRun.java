package dev.decant.lab.fix;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Takes the samples of {@code decant fix many}, and judges them by its bars. One thread at a time. */
public final class ManyRun {
  /** Names of the columns of the rows. */
  public static final String HEAD = String.format(Locale.ROOT, "%8s %9s %12s %12s %14s %14s %9s %8s %11s %12s",
      "sessions", "orders", "cpu us/order", "bytes/order", "direct/session", "heap/session", "logon ms", "refused",
      "reads/order", "writes/order");

  private static final double MOST_TIMES_CPU = 1.5;
  private static final double MOST_IDLE_BYTES = 64 * 1024;
  private static final double MOST_LOGON_MILLIS = 5_000;
  private static final int CPU = ManySessions.NAMES.indexOf("cpu_us_per_message");
  private static final int BYTES = ManySessions.NAMES.indexOf("bytes_per_message");
  private static final int DIRECT = ManySessions.NAMES.indexOf("direct_bytes_per_session");
  private static final int HEAP = ManySessions.NAMES.indexOf("heap_bytes_per_session");
  private static final int LOGON = ManySessions.NAMES.indexOf("logon_ms");
  private static final int REFUSED = ManySessions.NAMES.indexOf("refused");
  /** File descriptors for each session: both ends, with a reserve for everything else that a JVM has open. */
  private static final int BOXES_PER_SESSION = 4;
  private static final int OTHER_BOXES = 1_024;

  private final int sessions;
  private final int perSecond;
  private final int seconds;
  private final List<double[]> many = new ArrayList<>();
  private final List<double[]> one = new ArrayList<>();

  /**
   * A bar and its verdict.
   *
   * @param line the bar for people
   * @param isKept true if the bar is kept
   */
  public record Verdict(String line, boolean isKept) {}

  /**
   * Makes a run.
   *
   * @param sessions number of sessions
   * @param perSecond orders per second of all sessions together
   * @param seconds duration of each sample
   */
  public ManyRun(int sessions, int perSecond, int seconds) {
    this.sessions = sessions;
    this.perSecond = perSecond;
    this.seconds = seconds;
  }

  /**
   * Takes all samples.
   *
   * @param rows takes the row of each sample
   * @throws IOException if a JVM cannot be started, or ends without its figures; the message has the last lines of its
   *     output
   * @throws InterruptedException if the thread is interrupted
   */
  public void take(Consumer<String> rows) throws IOException, InterruptedException {
    for (int count : new int[] {sessions, 1, 1, sessions}) {
      double[] figures = sample(count);
      (count == 1 ? one : many).add(figures);
      rows.accept(String.format(Locale.ROOT, "%8.0f %9.0f %12.3f %12.4f %14.0f %14.0f %9.0f %8.0f %11.2f %12.2f",
          Arrays.stream(figures).boxed().toArray()));
    }
  }

  private double[] sample(int count) throws IOException, InterruptedException {
    int boxes = Integer.highestOneBit(BOXES_PER_SESSION * count + OTHER_BOXES) << 1;
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:AutoBoxCacheMax=" + boxes, "-cp",
        String.join(File.pathSeparator, FixJvm.classPath(Engine.DECANT_MEMORY)), ManySessions.class.getName()));
    command.addAll(List.of(Integer.toString(count), Integer.toString(perSecond), Integer.toString(seconds)));
    Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      List<String> words = List.of(output.lines().reduce((first, second) -> second).orElse("").split(" "));
      if (jvm.waitFor() != 0 || words.size() != ManySessions.NAMES.size()) {
        throw new IOException("the JVM with " + count + " sessions has no figures; it said: " + output.strip());
      }
      return words.stream().mapToDouble(Double::parseDouble).toArray();
    } finally {
      jvm.destroyForcibly();
    }
  }

  /**
   * Judges the samples.
   *
   * @return the bars
   */
  public List<Verdict> verdicts() {
    double ratio = mean(many, CPU) / mean(one, CPU);
    double memory = mean(many, DIRECT) + mean(many, HEAP);
    return List.of(verdict("CPU per order, of that of one session", ratio, MOST_TIMES_CPU),
        verdict("bytes per order", least(many, BYTES), 0.01),
        verdict("bytes of an idle session, heap and direct", memory, MOST_IDLE_BYTES),
        verdict("ms until all are logged on", most(many, LOGON), MOST_LOGON_MILLIS),
        verdict("connections refused", most(many, REFUSED), 0));
  }

  private static Verdict verdict(String name, double figure, double most) {
    boolean isKept = figure <= most;
    return new Verdict(String.format(Locale.ROOT, "%-44s %12.3f  at most %9.2f  %s", name, figure, most,
        isKept ? "kept" : "MISSED"), isKept);
  }

  private static double mean(List<double[]> samples, int figure) {
    return samples.stream().mapToDouble(sample -> sample[figure]).average().orElse(Double.NaN);
  }

  private static double least(List<double[]> samples, int figure) {
    return samples.stream().mapToDouble(sample -> sample[figure]).min().orElse(Double.NaN);
  }

  private static double most(List<double[]> samples, int figure) {
    return samples.stream().mapToDouble(sample -> sample[figure]).max().orElse(Double.NaN);
  }
}
