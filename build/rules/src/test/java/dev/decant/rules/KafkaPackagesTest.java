package dev.decant.rules;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Which package of the Kafka client may use which. A package has one line in {@link #USES}; a direction that is in no
 * line fails the build, and no two packages may use each other, directly or by way of others.
 */
class KafkaPackagesTest {
  private static final String ROOT = "dev.decant.kafka";

  /** For each package what it may use, the lowest first. The empty name is that of the values that all others use. */
  private static final Map<String, Set<String>> USES = Map.ofEntries(
      Map.entry("", Set.of()),
      Map.entry("memory", Set.of()),
      Map.entry("compression", Set.of()),
      Map.entry("serialization", Set.of("")),
      Map.entry("security", Set.of("")),
      Map.entry("event", Set.of("")),
      Map.entry("settings", Set.of("security")),
      Map.entry("telemetry", Set.of("", "event")),
      Map.entry("cluster", Set.of("", "security", "telemetry")),
      Map.entry("clientmetrics", Set.of("", "compression", "event", "telemetry", "cluster")),
      Map.entry("internal", Set.of("", "memory", "telemetry", "clientmetrics", "cluster")),
      Map.entry("assignor", Set.of("")),
      Map.entry("group", Set.of("", "telemetry", "cluster", "internal", "assignor")),
      Map.entry("fetch", Set.of("", "telemetry", "cluster", "internal")),
      Map.entry("consumer", Set.of("", "compression", "serialization", "settings", "telemetry", "clientmetrics",
          "cluster", "internal", "assignor", "group", "fetch")),
      Map.entry("transaction", Set.of("", "telemetry", "cluster", "internal")),
      Map.entry("producer", Set.of("", "memory", "compression", "serialization", "security", "settings", "event",
          "telemetry", "clientmetrics", "cluster", "internal", "transaction")),
      Map.entry("client", Set.of("", "memory", "serialization", "security", "settings", "event", "telemetry",
          "clientmetrics", "cluster", "internal", "consumer", "producer")),
      Map.entry("jfr", Set.of("", "event", "client")));

  private record Direction(String from, String to) {
    @Override
    public String toString() {
      return name(from) + " -> " + name(to);
    }

    private static String name(String packageName) {
      return packageName.isEmpty() ? ROOT : packageName;
    }
  }

  /** The classes of the client's own module: other modules have packages of these names. */
  private static JavaClasses client() {
    return new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages(ROOT)
        .that(not(resideInAnyPackage(ROOT + ".protocol..", ROOT + ".record..", ROOT + ".codec..",
            ROOT + ".apache..", ROOT + ".streams..", ROOT + ".work..")));
  }

  private static Map<Direction, List<String>> directions(JavaClasses classes) {
    Set<String> own = new HashSet<>();
    classes.forEach(c -> own.add(c.getPackageName()));
    Map<Direction, List<String>> found = new HashMap<>();
    for (JavaClass c : classes) {
      for (Dependency d : c.getDirectDependenciesFromSelf()) {
        String to = d.getTargetClass().getBaseComponentType().getPackageName();
        if (own.contains(to) && !to.equals(c.getPackageName())) {
          found.computeIfAbsent(new Direction(simple(c.getPackageName()), simple(to)), key -> new ArrayList<>())
              .add(d.getDescription());
        }
      }
    }
    return found;
  }

  private static String simple(String packageName) {
    return packageName.equals(ROOT) ? "" : packageName.substring(ROOT.length() + 1);
  }

  /** What is used though no line says so, each with an example. */
  private static Map<String, String> breaches(Map<Direction, List<String>> found, Map<String, Set<String>> uses) {
    Map<String, String> breaches = new TreeMap<>();
    found.forEach((direction, where) -> {
      if (!uses.getOrDefault(direction.from(), Set.of()).contains(direction.to())) {
        breaches.put(direction.toString(), where.size() + " times, such as: " + where.getFirst());
      }
    });
    return breaches;
  }

  @Test
  void packagesUseOnlyWhatTheirLineNames() {
    assertThat(breaches(directions(client()), USES)).isEmpty();
  }

  @Test
  void aDirectionThatNoLineNamesIsSeen() {
    Map<String, Set<String>> withoutGroup = new HashMap<>(USES);
    withoutGroup.put("consumer", Set.of("", "fetch"));

    assertThat(breaches(directions(client()), withoutGroup)).containsKey("consumer -> group")
        .doesNotContainKey("consumer -> fetch");
  }

  @Test
  void noTwoPackagesUseEachOther() {
    Set<String> below = new HashSet<>();
    Set<String> left = new HashSet<>(USES.keySet());
    while (left.removeIf(name -> below.containsAll(USES.getOrDefault(name, Set.of())) && below.add(name))) {
      // those that use only what is below have been put there
    }
    assertThat(left).as("packages that use each other, or what has no line").isEmpty();
  }

  @Test
  void everyPackageHasALineAndEveryWordOfItIsNeeded() {
    JavaClasses client = client();
    Set<String> found = new HashSet<>();
    client.forEach(c -> found.add(simple(c.getPackageName())));
    assertThat(found).isEqualTo(USES.keySet());
    Set<Direction> named = new HashSet<>();
    USES.forEach((from, all) -> all.forEach(to -> named.add(new Direction(from, to))));
    assertThat(directions(client).keySet()).containsExactlyInAnyOrderElementsOf(named);
  }
}
