package dev.decant.lab.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A result as one page that needs no other file: the data, the script that draws it, and the plotting library. */
public final class HtmlReport {
  private static final String PLOTS = "/META-INF/resources/webjars/chart.js/4.4.9/dist/chart.umd.js";

  private HtmlReport() {}

  /**
   * Makes the page of {@code decant stress}.
   *
   * @param result content of the result file
   * @return HTML
   */
  public static String of(ObjectNode result) {
    return page("stress.html", result);
  }

  /**
   * Makes the page of {@code decant carriers}.
   *
   * @param result content of the result file
   * @return HTML
   */
  public static String ofCarriers(ObjectNode result) {
    return page("carriers.html", result);
  }

  /**
   * Makes the page of {@code decant fix}.
   *
   * @param result content of the result file
   * @return HTML
   */
  public static String ofFix(ObjectNode result) {
    return page("fix.html", result);
  }

  /**
   * Makes the page of scenarios.
   *
   * @param result content of the result file
   * @return HTML
   */
  public static String ofScenarios(ObjectNode result) {
    return page("scenarios.html", result);
  }

  /**
   * Makes a page of several results.
   *
   * @param results see {@link SideBySide}
   * @return HTML
   */
  public static String ofSeveral(ObjectNode results) {
    return page("several.html", results);
  }

  /**
   * Makes the page that shows a run while it goes on.
   *
   * @return HTML
   */
  public static String ofLive() {
    return page("live.html", ResultJson.JSON.createObjectNode());
  }

  private static String page(String template, ObjectNode result) {
    // "<" as an escape means the same in JSON, and cannot end the script element
    String data = result.toString().replace("<", "\\u003c");
    return resource(template).replace("@head@", resource("head.html")).replace("@common@", resource("common.js"))
        .replace("@plots@", resource(PLOTS)).replace("@data@", data);
  }

  private static String resource(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the lab was built without " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be read", e);
    }
  }
}
