package dev.decant.lab.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.probe.RuntimeSnapshot;
import dev.decant.lab.server.ParentLine;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a measured client's JVM. It opens the client, then serves its parent's requests: {@code fill},
 * {@code warm}, {@code measure}. When the parent has ended, the JVM halts at once.
 */
public final class DriverMain {
  /** The request to measure and to report the rate meanwhile. */
  public static final String MEASURE_AND_REPORT = "measure and tell";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long NEVER = 1L << 62;

  private DriverMain() {}

  /**
   * Runs one client.
   *
   * @param arguments a {@link WorkSpec} as JSON
   * @throws Exception when the argument cannot be read or the thread was interrupted
   */
  public static void main(String[] arguments) throws Exception {
    ParentLine parent = ParentLine.open();
    WorkSpec spec = JSON.readValue(arguments[0], WorkSpec.class);
    try (Work work = WorkType.open(spec)) {
      parent.serve(request -> response(request, work, spec.amount()));
    } catch (RuntimeException e) {
      parent.refuse(e);
    }
    Runtime.getRuntime().halt(1); // a client may have left threads that would keep the JVM alive
  }

  private static String response(String request, Work work, WorkSpec.Amount amount) throws Exception {
    return switch (request) {
      case "open" -> "";
      case "fill" -> Long.toString(work.run(amount.records(), System.nanoTime() + NEVER));
      case "warm" -> Long.toString(work.warmUp(amount));
      case "measure" -> JSON.writeValueAsString(measure(work, amount, null));
      case MEASURE_AND_REPORT -> JSON.writeValueAsString(measure(work, amount, new RateLine()));
      case "sites" -> JSON.writeValueAsString(work.sites(amount.records()));
      default -> throw new IllegalArgumentException("unknown request " + request);
    };
  }

  private static Measured measure(Work work, WorkSpec.Amount amount, @Nullable RateLine line) throws Exception {
    work.begin();
    boolean timed = amount.durationMillis() > 0;
    try (Timeline timeline = new Timeline(work::progress, line)) {
      RuntimeSnapshot before = RuntimeSnapshot.atStart();
      long deadline = before.wallNanos() + (timed ? amount.durationMillis() * 1_000_000 : NEVER);
      long records = work.run(amount.records() > 0 ? amount.records() : Long.MAX_VALUE / 2, deadline);
      RuntimeSnapshot after = RuntimeSnapshot.atEnd();
      List<Long> rates = timeline.end();
      return Measured.between(before, after, records, work, rates);
    }
  }

  /**
   * Writes the argument for {@link #main}.
   *
   * @param spec the work to do
   * @return the specification as JSON
   */
  public static String argument(WorkSpec spec) {
    try {
      return JSON.writeValueAsString(spec);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a work specification is always JSON", e);
    }
  }

  /**
   * Reads a line that reports the rate during a measurement.
   *
   * @param line a line of a client's JVM
   * @return records in the last second; empty if the line is something else
   */
  public static OptionalLong rate(String line) {
    return RateLine.read(line);
  }

  /**
   * Reads the response to {@code measure}.
   *
   * @param response the response as JSON
   * @return the measurement
   */
  public static Measured measured(String response) {
    try {
      return JSON.readValue(response, Measured.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the client's JVM answered no measurement but: " + response, e);
    }
  }

  /**
   * Reads the response to {@code sites}.
   *
   * @param response the response as JSON
   * @return the sites at which the client allocates
   */
  public static List<AllocationSite> sites(String response) {
    try {
      return List.of(JSON.readValue(response, AllocationSite[].class));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the client's JVM answered no sites but: " + response, e);
    }
  }
}
