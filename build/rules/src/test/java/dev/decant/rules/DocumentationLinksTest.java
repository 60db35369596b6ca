package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Links between documents lead somewhere, and the site has all pages. */
class DocumentationLinksTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("(?<!!)\\[(?:[^\\[\\]]|\\[[^\\]]*])*]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$|`[^`\n]*`");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern NAMED_TEST = Pattern.compile("yes: `([A-Za-z]+Test)`");
  private static final List<String> DIRECTORIES = List.of("docs", "examples", "deploy");

  private final Map<Path, Set<String>> anchors = new HashMap<>();

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    try (Stream<Path> root = Files.list(ROOT)) {
      root.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
    }
    for (String directory : DIRECTORIES) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(directory))) {
        all.filter(file -> file.toString().endsWith(".md")).forEach(documents::add);
      }
    }
    return documents;
  }

  /** As GitHub makes them of headings: lower case, without punctuation, hyphens for spaces; a number if repeated. */
  private static Set<String> anchorsOf(Path document) throws IOException {
    Set<String> found = new TreeSet<>();
    String text = Pattern.compile("(?ms)^```.*?^```$").matcher(Files.readString(document)).replaceAll("");
    HEADING.matcher(text).results().forEach(heading -> {
      String plain = heading.group(1).replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1").toLowerCase(Locale.ROOT)
          .replaceAll("[^\\p{L}\\p{N} _-]", "").strip().replace(' ', '-');
      int repeated = 1;
      String anchor = plain;
      while (!found.add(anchor)) {
        anchor = plain + "-" + repeated++;
      }
    });
    return found;
  }

  private @Nullable String problem(Path document, String link) throws IOException {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = path.isEmpty() ? document : document.resolveSibling(path).normalize();
    if (!Files.exists(target)) {
      return link + " names no file";
    }
    if (hash < 0 || !target.toString().endsWith(".md")) {
      return null;
    }
    Set<String> known = anchors.get(target);
    if (known == null) {
      known = anchorsOf(target);
      anchors.put(target, known);
    }
    return known.contains(link.substring(hash + 1)) ? null : link + " names no heading of " + known;
  }

  @Test
  void linksBetweenDocumentsLeadSomewhere() throws IOException {
    List<String> problems = new ArrayList<>();
    int links = 0;
    for (Path document : documents()) {
      String text = CODE.matcher(Files.readString(document)).replaceAll("");
      for (String link : LINK.matcher(text).results().map(found -> found.group(1)).toList()) {
        if (!link.matches("[a-z]+:.*")) {
          String problem = problem(document, link);
          if (problem != null) {
            problems.add(ROOT.relativize(document) + ": " + problem);
          }
          links++;
        }
      }
    }
    assertThat(problems).isEmpty();
    assertThat(links).as("links found").isGreaterThan(300);
  }

  @Test
  void theSiteHasEachPage() throws IOException {
    String navigation = Files.readString(ROOT.resolve("mkdocs.yml"));
    try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
      assertThat(pages.map(page -> page.getFileName().toString()).filter(page -> page.endsWith(".md")))
          .isNotEmpty().allSatisfy(page -> assertThat(navigation).contains("- " + page + "\n"));
    }
  }

  /** A cell of the table of features that names a test is checked by it. */
  @Test
  void testsThatTheFeaturesNameAreThere() throws IOException {
    Set<String> tests = new TreeSet<>();
    for (String directory : List.of("product", "integrations", "test")) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(directory))) {
        all.map(file -> file.getFileName().toString()).filter(file -> file.endsWith("Test.java"))
            .forEach(file -> tests.add(file.replace(".java", "")));
      }
    }
    assertThat(NAMED_TEST.matcher(Files.readString(ROOT.resolve("docs/features.md"))).results()
        .map(name -> name.group(1))).hasSizeGreaterThan(15).allMatch(tests::contains);
  }

  /** Downloads MkDocs Material the first time. */
  @Tag("long")
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void theSiteIsBuiltWithoutAWarning() throws IOException, InterruptedException {
    Process site = new ProcessBuilder("build/site", "--strict").directory(ROOT.toFile()).redirectErrorStream(true)
        .start();
    String output = new String(site.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(site.waitFor()).as(output).isZero();
    assertThat(ROOT.resolve("target/site/llms.txt")).content().contains("(md/producing.md): ");
    assertThat(ROOT.resolve("target/site/search/search_index.json")).isNotEmptyFile();
  }
}
