package dev.decant.lab.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.probe.RuntimeSnapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The main class of a measured client's JVM. It opens the client, then does what its input says: {@code warm},
 * {@code measure}. When its input ends, so does the JVM.
 */
public final class DriverMain {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NEVER = 1L << 62;

  private DriverMain() {}

  /**
   * Runs one client.
   *
   * @param arguments a {@link WorkSpec} as JSON
   * @throws IOException when the parent cannot be heard
   */
  public static void main(String[] arguments) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err); // whatever a client prints must not look like an answer
    WorkSpec spec = JSON.readValue(arguments[0], WorkSpec.class);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Work work = open(spec)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.println("ok " + answer(line, work, spec));
        answers.flush();
      }
    } catch (Exception e) {
      answers.println("error " + String.valueOf(e.getMessage()).replace('\n', ' '));
      answers.flush();
      e.printStackTrace(System.err);
    }
    Runtime.getRuntime().halt(0); // no client's threads may keep the JVM alive
  }

  private static Work open(WorkSpec spec) throws InterruptedException {
    boolean decant = spec.client().equals("decant");
    return switch (spec.scenario()) {
      case "produce" -> decant ? new DecantProduce(spec) : new ApacheProduce(spec);
      case "consume" -> decant ? new DecantConsume(spec) : new ApacheConsume(spec);
      default -> throw new IllegalArgumentException("unknown scenario " + spec.scenario());
    };
  }

  private static String answer(String request, Work work, WorkSpec spec) throws Exception {
    return switch (request) {
      case "fill" -> Long.toString(work.run(spec.records(), System.nanoTime() + NEVER));
      case "warm" -> Long.toString(WarmUp.run(work, spec.warmUpRecords()));
      case "measure" -> JSON.writeValueAsString(measure(work, spec));
      default -> throw new IllegalArgumentException("unknown request " + request);
    };
  }

  private static Measured measure(Work work, WorkSpec spec) throws Exception {
    work.latency().reset();
    boolean timed = spec.durationMillis() > 0;
    try (Timeline timeline = new Timeline(work)) {
      RuntimeSnapshot before = RuntimeSnapshot.take();
      long deadline = timed ? before.wallNanos() + spec.durationMillis() * 1_000_000 : before.wallNanos() + NEVER;
      long records = work.run(timed ? Long.MAX_VALUE / 2 : spec.records(), deadline);
      RuntimeSnapshot after = RuntimeSnapshot.take();
      List<Long> rates = timeline.end();
      return Measured.between(before, after, records, work, rates);
    }
  }

  /**
   * The argument for {@link #main}.
   *
   * @param spec what to do
   * @return as JSON
   */
  public static String argument(WorkSpec spec) {
    try {
      return JSON.writeValueAsString(spec);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a work specification is always JSON", e);
    }
  }

  /**
   * Reads the answer to {@code measure}.
   *
   * @param answer as JSON
   * @return what was measured
   */
  public static Measured measured(String answer) {
    try {
      return JSON.readValue(answer, Measured.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the client's JVM answered no measurement but: " + answer, e);
    }
  }
}
