package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The API of each published module is that of its api.txt; with -Dapi.write=true the file is written anew. */
class PublicApiTest {
  private static final Path ROOT = Path.of("../..");
  private static final String COMMAND = "mvn -B -pl build/rules -am -Dsurefire.failIfNoSpecifiedTests=false"
      + " -Dtest=PublicApiTest -Dapi.write=true verify";

  static List<String> modules() throws IOException {
    return PublishedModulesTest.publishedJars();
  }

  private static String text(String module) throws IOException {
    List<Path> entries = ClassPathEntries.of(List.of(module), List.of());
    assertThat(entries).as("%s on the class path", module).hasSize(1);
    StringBuilder text = new StringBuilder("# Public API, written by " + COMMAND + "\n");
    for (Map.Entry<String, List<String>> type : PublicApi.of(entries.getFirst()).entrySet()) {
      text.append('\n').append(String.join("\n  ", type.getValue())).append('\n');
    }
    return text.toString();
  }

  /** Each line of a member behind the line of its type, so that lines can be compared one by one. */
  private static List<String> withTypes(String text) {
    List<String> lines = new ArrayList<>();
    String type = "";
    for (String line : text.lines().toList()) {
      if (line.startsWith("  ")) {
        lines.add(type + " { " + line.strip() + " }");
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        type = line;
        lines.add(line);
      }
    }
    return lines;
  }

  @ParameterizedTest
  @MethodSource("modules")
  void theApiIsThatOfItsFile(String module) throws IOException {
    Path file = ROOT.resolve(module).resolve("api.txt");
    String actual = text(module);
    if (Boolean.getBoolean("api.write")) {
      Files.writeString(file, actual);
    }

    String reviewed = Files.exists(file) ? Files.readString(file) : "";
    List<String> added = new ArrayList<>(withTypes(actual));
    added.removeAll(withTypes(reviewed));
    List<String> removed = new ArrayList<>(withTypes(reviewed));
    removed.removeAll(withTypes(actual));

    assertThat(String.join("\n", removed)).as("removed from the API of %s: say so in CHANGELOG.md, and run %s", module,
        COMMAND).isEmpty();
    assertThat(String.join("\n", added)).as("new in the API of %s: if that is meant, run %s", module, COMMAND)
        .isEmpty();
    assertThat(actual).as("run %s", COMMAND).isEqualTo(reviewed);
  }

  @Test
  void membersThatUsersReachAreDescribedAndNoOthers() {
    assertThat(PublicApi.describe(Sample.class)).containsExactly(
        "public abstract static class dev.decant.rules.PublicApiTest$Sample<T> extends"
            + " dev.decant.rules.PublicApiTest$Hidden implements java.util.function.Supplier<T>",
        "protected Sample(int)",
        "protected abstract <E extends Exception> @Nullable T made(java.util.List<@Nullable String>) throws E",
        "public T get()",
        "public static final int LIMIT",
        "public void inherited()");
  }

  /** Not to be seen, but its public methods are. */
  abstract static class Hidden {
    public void inherited() {
      packagePrivate();
    }

    void packagePrivate() {}
  }

  /** One of each. */
  public abstract static class Sample<T> extends Hidden implements Supplier<T> {
    public static final int LIMIT = 1;
    private final int own;

    protected Sample(int own) {
      this.own = own;
    }

    Sample() {
      this(0);
    }

    protected abstract <E extends Exception> @Nullable T made(List<@Nullable String> names) throws E;

    @Override
    public T get() {
      throw new IllegalStateException("sample " + own);
    }

    @Override
    public String toString() {
      return "sample";
    }
  }
}
