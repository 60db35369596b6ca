package dev.decant.rules;

import dev.decant.rules.TestSources.Marks;
import dev.decant.rules.TestSources.TestClass;
import dev.decant.rules.TestSources.TestMethod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Finds tests without a home. Every test is run by each build, by {@code -Pfull} or, by name, by {@code -Plong}; its
 * tags say which. A test that no profile runs would be forgotten, and nobody would see it.
 */
final class TestHomes {
  static final String FULL = "full";
  static final String LONG = "long";
  /** Not a home: the JVM that such a test is run in. */
  static final String ALLOCATION = "allocation";
  private static final Set<String> TAGS = Set.of(FULL, LONG, ALLOCATION);
  private static final String ALLOCATION_NAME = "AllocationTest";

  private final Path root;
  /** Superclasses are looked for in all modules, since tests of one use those of another. */
  private final Map<String, List<TestClass>> bySimpleName = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private int tests;

  private TestHomes(Path root) {
    this.root = root;
  }

  /**
   * Checks all modules below a directory.
   *
   * @param root has the parent POM
   * @return one line for each violation
   */
  static TestHomes check(Path root) throws IOException {
    TestHomes homes = new TestHomes(root);
    homes.checkModules();
    return homes;
  }

  List<String> violations() {
    return violations;
  }

  /** How many test methods there are, those that are inherited once for each class. */
  int tests() {
    return tests;
  }

  private void checkModules() throws IOException {
    Map<Path, List<TestClass>> modules = new TreeMap<>();
    for (Path module : directoriesWithAPom()) {
      List<TestClass> classes = TestSources.of(module);
      modules.put(module, classes);
      classes.forEach(each -> bySimpleName.computeIfAbsent(each.simpleName(), absent -> new ArrayList<>()).add(each));
    }
    List<String> built = SurefireSettings.of(root).modules();
    for (Map.Entry<Path, List<TestClass>> module : modules.entrySet()) {
      List<TestClass> tested = module.getValue().stream()
          .filter(each -> each.isConcrete() && !tests(each).isEmpty()).toList();
      if (!tested.isEmpty()) {
        check(root.relativize(module.getKey()).toString().replace('\\', '/'), built, tested);
      }
    }
  }

  /** Without examples: readers run their tests, and so does ExamplesRunTest. */
  private List<Path> directoriesWithAPom() throws IOException {
    try (Stream<Path> files = Files.walk(root, 4)) {
      return files.filter(file -> file.endsWith("pom.xml") && !root.relativize(file).toString().contains("target")
          && !root.relativize(file).startsWith("examples")).map(Path::getParent).toList();
    }
  }

  private void check(String module, List<String> built, List<TestClass> classes) throws IOException {
    if (!built.contains(module)) {
      violations.add(module + ": its tests run in no build, since the parent POM does not list the module");
    }
    SurefireSettings settings = SurefireSettings.of(root.resolve(module));
    settings.obstacles()
        .forEach(obstacle -> violations.add(module + "/pom.xml: " + obstacle + " may keep tests from being run"));
    for (TestClass each : classes) {
      check(module + ": " + each.name(), settings, each);
    }
  }

  private void check(String name, SurefireSettings settings, TestClass each) {
    if (!each.enclosing().isEmpty() && !each.isNested()) {
      violations.add(name + " is within a class and not @Nested, so JUnit does not find it");
    }
    Marks ofClass = marks(each);
    boolean countsBytes = ofClass.tags().contains(ALLOCATION);
    if (each.enclosing().isEmpty() && countsBytes != each.simpleName().endsWith(ALLOCATION_NAME)) {
      violations.add(name + ": a class has the tag \"" + ALLOCATION + "\" if its name ends with " + ALLOCATION_NAME
          + ", and only then");
    } else if (each.enclosing().isEmpty() && !settings.includes(each.file(), countsBytes)) {
      violations.add(name + " has a name that surefire takes for no test");
    }
    for (TestMethod test : tests(each)) {
      tests++;
      checkMarks(name + '.' + test.name(), ofClass.and(test.marks()));
    }
  }

  private void checkMarks(String name, Marks marks) {
    if (!TAGS.containsAll(marks.tags())) {
      violations.add(name + " has a tag that is not among " + TAGS.stream().sorted().toList() + ": "
          + marks.tags().stream().filter(tag -> !TAGS.contains(tag)).sorted().toList());
    }
    if (marks.tags().containsAll(Set.of(FULL, LONG))) {
      violations.add(name + " has two homes, \"" + FULL + "\" and \"" + LONG + '"');
    }
    if (!marks.switches().isEmpty()) {
      violations.add(name + " has a switch of its own in place of a home: " + marks.switches());
    }
  }

  /** Own tests and those of superclasses and interfaces. */
  private List<TestMethod> tests(TestClass each) {
    List<TestMethod> tests = new ArrayList<>(each.methods());
    parents(each).forEach(parent -> tests.addAll(tests(parent)));
    return tests;
  }

  private List<TestClass> parents(TestClass each) {
    return each.parents().stream().flatMap(parent -> bySimpleName.getOrDefault(parent, List.of()).stream())
        .filter(parent -> !parent.equals(each)).toList();
  }

  /** As JUnit sees them: those of superclasses and of the classes around it are its own. */
  private Marks marks(TestClass each) {
    Marks marks = each.marks();
    for (TestClass parent : parents(each)) {
      marks = marks.and(marks(parent));
    }
    if (!each.enclosing().isEmpty()) {
      String around = each.enclosing().substring(each.enclosing().lastIndexOf('.') + 1);
      for (TestClass enclosing : bySimpleName.getOrDefault(around, List.of())) {
        marks = enclosing.file().equals(each.file()) ? marks.and(marks(enclosing)) : marks;
      }
    }
    return marks;
  }
}
