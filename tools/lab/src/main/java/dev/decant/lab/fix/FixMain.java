package dev.decant.lab.fix;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.driver.RateLine;
import dev.decant.lab.server.ParentLine;

/**
 * The main class of a JVM in which one engine is measured. It serves {@code warm}, {@code measure} and {@value
 * #MEASURE_AND_REPORT}.
 */
public final class FixMain {
  static final String MEASURE_AND_REPORT = "measure and tell";

  private static final ObjectMapper JSON = new ObjectMapper();

  private FixMain() {}

  /**
   * Runs one engine.
   *
   * @param arguments a {@link FixSpec} as JSON
   * @throws Exception when the argument cannot be read or the thread was interrupted
   */
  public static void main(String[] arguments) throws Exception {
    ParentLine parent = ParentLine.open();
    try (FixBench bench = new FixBench(FixSpec.ofJson(arguments[0]))) {
      parent.serve(request -> response(request, bench));
    } catch (Exception e) {
      parent.refuse(e);
    }
    Runtime.getRuntime().halt(1); // an engine may have left threads that would keep the JVM alive
  }

  private static String response(String request, FixBench bench) throws Exception {
    return switch (request) {
      case "warm" -> Long.toString(bench.warmUp());
      case "measure" -> JSON.writeValueAsString(bench.measure(null));
      case MEASURE_AND_REPORT -> JSON.writeValueAsString(bench.measure(new RateLine()));
      default -> throw new IllegalArgumentException("unknown request " + request);
    };
  }

  static FixMeasured measured(String response) {
    try {
      return JSON.readValue(response, FixMeasured.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the engine's JVM answered no measurement but: " + response, e);
    }
  }
}
