package dev.decant.lab.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A result file of an earlier run.
 *
 * @param name name of the file
 * @param kind kind of the result
 * @param root content of the file
 */
public record SavedResult(String name, Kind kind, ObjectNode root) {

  /** The kinds of results. */
  public enum Kind {
    /** A comparison of {@code decant stress}. */
    STRESS,
    /** Scenarios, also those that other commands make. */
    SCENARIOS,
    /** A result of {@code decant carriers}. */
    CARRIERS,
    /** A result of {@code decant fix}. */
    FIX
  }

  /**
   * Reads a file.
   *
   * @param file file of a command that measures
   * @return the result
   * @throws IllegalArgumentException if the file is no result; the message is one line that says why
   */
  public static SavedResult read(Path file) {
    try {
      JsonNode root = ResultJson.JSON.readTree(Files.readString(file));
      if (root instanceof ObjectNode result && result.path("format").asInt() == 1 && result.has("environment")) {
        return new SavedResult(file.toString(), kind(file, result), result);
      }
      throw none(file, "has no \"format\": 1");
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(file + ": there is no such file", e);
    } catch (MalformedInputException e) {
      throw none(file, "is no text in UTF-8");
    } catch (JsonProcessingException e) {
      throw none(file, "is no JSON");
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static Kind kind(Path file, ObjectNode result) {
    if (result.path("scenarios").isArray()) {
      return Kind.SCENARIOS;
    }
    if (result.path("rows").isArray() && result.path("ratios").isArray()) {
      return Kind.STRESS;
    }
    if (result.path("rows").isArray() && result.has("work_steps")) {
      return Kind.CARRIERS;
    }
    if (result.path("rows").isArray() && result.has("fix_version")) {
      return Kind.FIX;
    }
    throw none(file, "has neither scenarios nor rows");
  }

  private static IllegalArgumentException none(Path file, String why) {
    return new IllegalArgumentException(file + " is no result of decant: it " + why);
  }

  /**
   * Makes the page of the result.
   *
   * @return the same page that the command has written
   */
  public String page() {
    return switch (kind) {
      case STRESS -> HtmlReport.of(root);
      case SCENARIOS -> HtmlReport.ofScenarios(root);
      case CARRIERS -> HtmlReport.ofCarriers(root);
      case FIX -> HtmlReport.ofFix(root);
    };
  }
}
