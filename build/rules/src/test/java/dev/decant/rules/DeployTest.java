package dev.decant.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Checks without Docker and network: the dashboard and the alerts name meters that there are, and files that
 * mention each other exist. {@code deploy/README.md} has the checks by the tools themselves.
 */
class DeployTest {
  private static final Path ROOT = Path.of("../..");
  private static final Path DEPLOY = ROOT.resolve("deploy");
  private static final Path ALERTS = DEPLOY.resolve("prometheus/rules/decant.yml");
  private static final Pattern ROW = Pattern
      .compile("\\| `((?:decant|kafka)\\.[a-z.]+)` \\| (timer|counter|gauge) \\| ([a-z]*) \\| (.*?) \\|");
  private static final Pattern METRIC = Pattern.compile("\\b(?:decant|kafka)_[a-z_]+");
  private static final Pattern GROUPED = Pattern.compile("by \\(([a-z_, ]+)\\)");
  private static final Pattern LABELS = Pattern.compile("(?:\\{\\{ ?\\$labels\\.|\\{\\{)([a-z_]+) ?}}");
  private static final int COLUMNS = 24;

  /** The tables that the tests of decant-micrometer compare with its meters. */
  private static List<MatchResult> meters() throws IOException {
    List<MatchResult> meters = new ArrayList<>();
    for (String page : List.of("docs/observing.md", "docs/operating-fix.md")) {
      String text = Files.readString(ROOT.resolve(page));
      int from = text.indexOf("<!-- micrometer -->");
      ROW.matcher(text.substring(from, text.indexOf("<!-- end -->", from))).results().forEach(meters::add);
    }
    return meters;
  }

  /** As Micrometer's registry for Prometheus makes them: dots are underscores, then the unit, then the kind. */
  private static Set<String> names() throws IOException {
    Set<String> names = new TreeSet<>();
    for (MatchResult meter : meters()) {
      String name = meter.group(1).replace('.', '_');
      String unit = meter.group(3).isEmpty() || name.endsWith(meter.group(3)) ? "" : "_" + meter.group(3);
      switch (meter.group(2)) {
        case "timer" -> Stream.of("_count", "_sum", "_max", "_bucket").forEach(end -> names.add(name + unit + end));
        case "counter" -> names.add(name.endsWith("_total") ? name : name + unit + "_total");
        default -> names.add(name + unit);
      }
    }
    return names;
  }

  private static Set<String> labels() throws IOException {
    Set<String> labels = new HashSet<>(Set.of("le"));
    for (MatchResult meter : meters()) {
      Pattern.compile("`([a-z.]+)`").matcher(meter.group(4)).results()
          .forEach(tag -> labels.add(tag.group(1).replace('.', '_')));
    }
    return labels;
  }

  private static List<JsonNode> panels() throws IOException {
    List<JsonNode> panels = new ArrayList<>();
    new ObjectMapper().readTree(DEPLOY.resolve("grafana/dashboards/decant.json").toFile()).path("panels")
        .forEach(panels::add);
    return panels;
  }

  private static List<Object> documents(Path file) throws IOException {
    List<Object> documents = new ArrayList<>();
    new Load(LoadSettings.builder().build()).loadAllFromString(Files.readString(file)).forEach(documents::add);
    return documents;
  }

  private static Object value(Object map, String key) {
    return Objects.requireNonNull(((Map<?, ?>) map).get(key), key);
  }

  private static void assertKnown(String where, String expression, Set<String> names, Set<String> labels) {
    List<String> used = METRIC.matcher(expression).results().map(MatchResult::group).toList();
    assertThat(used).as("metrics of %s", where).isNotEmpty().allMatch(names::contains);
    GROUPED.matcher(expression).results().flatMap(by -> Stream.of(by.group(1).split(", ", -1)))
        .forEach(label -> assertThat(labels).as("labels of %s", where).contains(label));
  }

  @Test
  void panelsAskForMetersThatThereAre() throws IOException {
    Set<String> names = names();
    Set<String> labels = labels();
    assertThat(names).contains("decant_kafka_sent_bytes_total", "decant_kafka_response_seconds_bucket",
        "decant_kafka_metadata_age_seconds", "kafka_consumer_coordinator_rebalance_total", "decant_fix_up");
    int queries = 0;
    for (JsonNode panel : panels()) {
      for (JsonNode target : panel.path("targets")) {
        String title = panel.path("title").asText();
        assertKnown(title, target.path("expr").asText(), names, labels);
        LABELS.matcher(target.path("legendFormat").asText()).results()
            .forEach(label -> assertThat(labels).as("legend of %s", title).contains(label.group(1)));
        queries++;
      }
    }
    assertThat(queries).isGreaterThan(40);
  }

  /** A panel without a description is a riddle at night, and one that covers another cannot be read. */
  @Test
  void panelsAreDescribedAndDoNotOverlap() throws IOException {
    Set<Integer> ids = new HashSet<>();
    Set<String> taken = new HashSet<>();
    for (JsonNode panel : panels()) {
      String title = panel.path("title").asText();
      assertThat(ids.add(panel.path("id").asInt())).as("id of %s", title).isTrue();
      JsonNode place = panel.path("gridPos");
      assertThat(place.path("x").asInt() + place.path("w").asInt()).as(title).isLessThanOrEqualTo(COLUMNS);
      for (int x = 0; x < place.path("w").asInt(); x++) {
        for (int y = 0; y < place.path("h").asInt(); y++) {
          assertThat(taken.add(place.path("x").asInt() + x + "," + (place.path("y").asInt() + y))).as(title).isTrue();
        }
      }
      if (!panel.path("type").asText().equals("row")) {
        assertThat(panel.path("description").asText()).as(title).endsWith(".");
        assertThat(panel.path("fieldConfig").path("defaults").path("unit").asText()).as(title).isNotEmpty();
      }
    }
  }

  @Test
  void alertsAskForMetersThatThereAreAndNameTheirCure() throws IOException {
    Set<String> names = names();
    Set<String> labels = labels();
    List<Map<?, ?>> rules = new ArrayList<>();
    for (Object group : (List<?>) value(documents(ALERTS).getFirst(), "groups")) {
      ((List<?>) value(group, "rules")).forEach(rule -> rules.add((Map<?, ?>) rule));
    }
    assertThat(rules).hasSizeGreaterThan(15);
    for (Map<?, ?> rule : rules) {
      String name = String.valueOf(rule.get("alert"));
      assertKnown(name, String.valueOf(rule.get("expr")), names, labels);
      assertThat(String.valueOf(rule.get("labels"))).as(name).containsPattern("severity=(critical|warning|info)");
      Object annotations = value(rule, "annotations");
      assertThat(String.valueOf(value(annotations, "cure"))).as(name).endsWith(".");
      LABELS.matcher(String.valueOf(value(annotations, "summary"))).results().filter(m -> m.group().contains("$labels"))
          .forEach(label -> assertThat(labels).as(name).contains(label.group(1)));
    }
  }

  /** The kinds of errors that alerts name are those of the client. */
  @Test
  void alertsNameKindsOfErrorsThatThereAre() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/observing.md"));
    List<String> kinds = Pattern.compile("kind=\"([a-z.]+)\"").matcher(Files.readString(ALERTS)).results()
        .map(kind -> kind.group(1)).toList();
    assertThat(kinds).isNotEmpty().allSatisfy(kind -> assertThat(page).contains("| `" + kind + "` |"));
  }

  @Test
  void filesThatComposeMountsOrBuildsAreThere() throws IOException {
    Map<?, ?> services = (Map<?, ?>) value(documents(ROOT.resolve("compose.yaml")).getFirst(), "services");
    for (Map.Entry<?, ?> service : services.entrySet()) {
      Map<?, ?> settings = (Map<?, ?>) service.getValue();
      Object image = settings.get("image");
      if (image == null) {
        Path context = ROOT.resolve(String.valueOf(value(value(settings, "build"), "context")));
        assertThat(context.resolve("Dockerfile")).exists();
        assertThat(String.valueOf(settings.get("stop_grace_period"))).as("%s stops in order", service.getKey())
            .isEqualTo("40s");
      } else {
        assertThat(String.valueOf(image)).as("image of %s", service.getKey()).matches(".+:v?\\d+(\\.\\d+)+");
      }
      if (settings.get("volumes") instanceof List<?> volumes) {
        assertThat(volumes).map(volume -> String.valueOf(volume).replaceAll(":.*", ""))
            .filteredOn(source -> source.startsWith("./"))
            .allSatisfy(source -> assertThat(ROOT.resolve(source)).exists());
      }
    }
    assertThat(services.keySet()).map(String::valueOf).contains("kafka", "shop", "gateway", "prometheus", "grafana");
  }

  /** Pods of ours can be probed and stopped, and have bounds. */
  @Test
  void podsHaveProbesATimeToStopAndBounds() throws IOException {
    int pods = 0;
    for (Object resource : (List<?>) value(documents(DEPLOY.resolve("kustomization.yaml")).getFirst(), "resources")) {
      for (Object document : documents(DEPLOY.resolve(String.valueOf(resource)))) {
        String text = String.valueOf(document);
        String kind = String.valueOf(value(document, "kind"));
        if (Set.of("Deployment", "StatefulSet").contains(kind)) {
          assertThat(text).contains("terminationGracePeriodSeconds=", "requests={cpu=", "limits={memory=",
              "runAsNonRoot=true");
          if (!text.contains("image=apache/kafka") && !text.contains("name=exchange,")) {
            assertThat(text).contains("startupProbe=", "livenessProbe=", "readinessProbe=");
          }
          pods++;
        }
      }
    }
    assertThat(pods).isEqualTo(4);
  }

  /** Each probe of the manifests is an address that the example serves. */
  @Test
  void probesAreServedByTheExamples() throws IOException {
    String gateway = Files.readString(ROOT
        .resolve("examples/fix-to-kafka/src/main/java/com/example/gateway/Probes.java"));
    String shop = Files.readString(ROOT.resolve("examples/spring-boot/src/main/resources/application.properties"));
    Set<String> paths = new TreeSet<>();
    for (String manifest : List.of("shop", "gateway")) {
      String text = Files.readString(DEPLOY.resolve("kubernetes/" + manifest + ".yaml"));
      paths.addAll(Pattern.compile("httpGet: \\{path: ([a-z/]+),").matcher(text).results().map(m -> m.group(1))
          .collect(Collectors.toSet()));
    }
    assertThat(paths).containsExactly("/actuator/health/liveness", "/actuator/health/readiness", "/live", "/ready");
    assertThat(gateway).contains("\"/live\"", "\"/ready\"");
    assertThat(shop).contains("health.group.liveness.include", "health.group.readiness.include",
        "exposure.include=health");
  }
}
