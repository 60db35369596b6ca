package dev.decant.lab.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.decant.lab.server.Computation;
import dev.decant.lab.server.ParentLine;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The main class of the load generator's JVM. It serves {@code calibrate NANOS}, {@code open SPEC} (a {@link LoadSpec}
 * as JSON), {@code run MILLIS} and {@code close}.
 */
public final class LoadMain {
  private static final ObjectMapper JSON = new ObjectMapper();

  private @Nullable Load load;

  private LoadMain() {}

  /**
   * Serves the parent.
   *
   * @param arguments none
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    LoadMain main = new LoadMain();
    ParentLine.open().serve(main::response);
  }

  private String response(String request) throws IOException {
    String[] words = request.split(" ", 2);
    return switch (words[0]) {
      case "calibrate" -> Long.toString(Computation.stepsIn(Long.parseLong(words[1])));
      case "open" -> {
        close();
        load = new Load(JSON.readValue(words[1], LoadSpec.class));
        yield "";
      }
      case "run" -> run(Duration.ofMillis(Long.parseLong(words[1])));
      case "close" -> {
        close();
        yield "";
      }
      default -> throw new IllegalArgumentException("unknown request " + request);
    };
  }

  private String run(Duration duration) throws IOException {
    Load open = load;
    if (open == null) {
      throw new IllegalStateException("nothing is open");
    }
    return JSON.writeValueAsString(open.run(duration));
  }

  private void close() throws IOException {
    Load open = load;
    load = null;
    if (open != null) {
      open.close();
    }
  }

  /**
   * Returns the request that opens a load.
   *
   * @param spec the load
   * @return one line
   */
  public static String opening(LoadSpec spec) {
    try {
      return "open " + JSON.writeValueAsString(spec);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a load specification is always JSON", e);
    }
  }

  /**
   * Reads the response to {@code run}.
   *
   * @param response the response as JSON
   * @return the measurement
   */
  public static LoadMeasured measured(String response) {
    try {
      return JSON.readValue(response, LoadMeasured.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the load generator answered no measurement but: " + response, e);
    }
  }
}
