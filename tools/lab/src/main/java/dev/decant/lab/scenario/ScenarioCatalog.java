package dev.decant.lab.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The lab's own scenarios, and those of users. */
public final class ScenarioCatalog {
  /** Names of groups, which stand for several scenarios. */
  public static final List<String> GROUPS = List.of("produce-all", "consume-all", "tls-all", "apache-all", "work-all",
      "all");

  private static final String ENDING = ".scenario";

  private ScenarioCatalog() {}

  /**
   * Returns the names of all scenarios.
   *
   * @return in the order of the list
   */
  public static List<String> names() {
    return resource("index").lines().toList();
  }

  /**
   * Returns a scenario of the lab.
   *
   * @param name name without ending
   * @return the scenario
   * @throws ScenarioException if there is none; the message lists all
   */
  public static Scenario named(String name) {
    if (!names().contains(name)) {
      throw new ScenarioException("there is no scenario " + name + Nearest.to(name, names(), GROUPS) + "; there are "
          + String.join(", ", names()) + ", and the groups " + String.join(", ", GROUPS));
    }
    return ScenarioFile.parse(name, name + ENDING, resource(name + ENDING));
  }

  /**
   * Returns several scenarios of the lab.
   *
   * @param namesAndGroups names of scenarios and groups
   * @return each scenario once, in the order of the names
   * @throws ScenarioException if there is no scenario or group of a name
   */
  public static List<Scenario> resolve(List<String> namesAndGroups) {
    Set<String> found = new LinkedHashSet<>();
    for (String name : namesAndGroups) {
      switch (name) {
        case "all" -> found.addAll(names());
        case "produce-all" -> found.addAll(ofKind(true));
        case "tls-all" -> names().stream().filter(each -> named(each).isEncrypted()).forEach(found::add);
        case "apache-all" -> names().stream().filter(ScenarioCatalog::isByApachesInterface).forEach(found::add);
        case "work-all" -> names().stream().filter(ScenarioCatalog::isOfHandlers).forEach(found::add);
        case "consume-all" -> found.addAll(ofKind(false));
        default -> found.add(name);
      }
    }
    return found.stream().map(ScenarioCatalog::named).toList();
  }

  private static boolean isByApachesInterface(String name) {
    return name.startsWith("apache-");
  }

  private static boolean isOfHandlers(String name) {
    return named(name).work().isOfHandlers();
  }

  /** Returns the scenarios of Decant's own interface that send or that read, without parallel handlers. */
  private static List<String> ofKind(boolean producing) {
    List<String> found = new ArrayList<>();
    for (String name : names()) {
      if (!isByApachesInterface(name) && !isOfHandlers(name) && named(name).work().isProducing() == producing) {
        found.add(name);
      }
    }
    return found;
  }

  /**
   * Reads a user's scenario.
   *
   * @param file the file, which gives the scenario its name
   * @return the scenario
   * @throws ScenarioException if the file cannot be read or is no scenario
   */
  public static Scenario read(Path file) {
    Path last = file.getFileName();
    String name = last == null ? "" : last.toString();
    try {
      return ScenarioFile.parse(name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name,
          name, Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new ScenarioException(file + ": there is no such file; decant list NAME prints one to begin with");
    } catch (MalformedInputException e) {
      throw new ScenarioException(file + ": this is no text in UTF-8");
    } catch (IOException e) {
      throw new ScenarioException(file + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * Makes the scenario of a command.
   *
   * @param name name of the scenario
   * @param text text as in a file
   * @return the scenario
   * @throws ScenarioException if a setting that came from the user is wrong
   */
  public static Scenario made(String name, String text) {
    return ScenarioFile.parse(name, name, text);
  }

  static String resource(String name) {
    try (InputStream in = ScenarioCatalog.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the lab was built without " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " cannot be read", e);
    }
  }
}
