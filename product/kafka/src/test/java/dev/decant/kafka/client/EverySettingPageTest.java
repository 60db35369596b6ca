package dev.decant.kafka.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.serialization.Serdes;
import dev.decant.kafka.settings.SecuritySettings;
import dev.decant.kafka.settings.SettingOwner;
import dev.decant.kafka.settings.SettingRule;
import dev.decant.kafka.settings.SettingTable;
import dev.decant.kafka.settings.Treatment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

/**
 * Compares the tables of docs/settings.md and docs/security.md with the code and the defaults of both clients; with
 * -Ddocs.write=true it writes them.
 */
class EverySettingPageTest {
  private static final Path PAGE = Path.of("../../docs/settings.md");
  private static final Path SECURITY_PAGE = Path.of("../../docs/security.md");
  private static final String BEGIN = "<!-- names -->\n";
  private static final Map<String, String> ASSIGNORS = Map.of("RangeAssignor", "range", "CooperativeStickyAssignor",
      "cooperative-sticky");

  private static Map<String, String> defaults() {
    Map<String, String> defaults = new HashMap<>();
    try (KafkaClient client = KafkaClient.connect("localhost:1")) {
      defaults.putAll(client.consumer(Serdes.bytes(), Serdes.bytes()).settings());
      defaults.putAll(client.producer(Serdes.bytes(), Serdes.bytes()).settings());
    }
    defaults.putAll(KafkaClient.builder("").settings());
    SecuritySettings.defaults().forEach(defaults::putIfAbsent);
    defaults.put("transaction.timeout.ms", "60000");
    defaults.put("partitioner.rack.aware", "false");
    return defaults;
  }

  private static String apaches(String name) {
    ConfigDef.ConfigKey key = ConsumerConfig.configDef().configKeys().get(name);
    key = key == null ? ProducerConfig.configDef().configKeys().get(name) : key;
    if (key == null || key.defaultValue == null || key.defaultValue.equals(ConfigDef.NO_DEFAULT_VALUE)) {
      return "";
    }
    if (key.defaultValue instanceof Iterable<?> values) {
      StringBuilder text = new StringBuilder();
      values.forEach(value -> text.append(text.isEmpty() ? "" : ",")
          .append(value instanceof Class<?> c ? ASSIGNORS.get(c.getSimpleName()) : value));
      return text.toString();
    }
    return key.defaultValue instanceof Class<?> c ? c.getName() : key.defaultValue.toString();
  }

  private static String treatment(SettingRule rule) {
    String text = rule.treatment().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    if (rule.treatment() == Treatment.HONOURED) {
      return text + ": " + rule.owners().stream().map(SettingOwner::name).map(name -> name.toLowerCase(Locale.ROOT))
          .collect(Collectors.joining(", "));
    }
    boolean refused = rule.treatment() == Treatment.REFUSED || rule.treatment() == Treatment.NOT_YET;
    return !refused || !rule.hasAcceptedValue()
        ? text
        : text + "; accepts " + accepted(rule.accepted());
  }

  /** Removes the marks of expressions: a bar would end the cell of the table. */
  private static String accepted(String values) {
    if (values.isEmpty()) {
      return "an empty value";
    }
    return values.contains("oauthbearer")
        ? "Apache's own for OAUTHBEARER"
        : Arrays.stream(values.split("[|]", -1)).map(value -> "`" + value + "`").collect(Collectors.joining(", "));
  }

  private static String row(SettingRule rule, Map<String, String> defaults) {
    String ours = defaults.getOrDefault(rule.name(), "");
    String theirs = apaches(rule.name());
    boolean honoured = rule.treatment() == Treatment.HONOURED;
    String both = !honoured || ours.equals(theirs)
        ? ours
        : ours + " (Kafka: " + (theirs.isEmpty() ? "none" : theirs)
            + ")";
    String name = rule.name().equals("sasl.*") ? "any other `sasl.*`" : "`" + rule.name() + "`";
    return "| " + name + " | " + treatment(rule) + " | " + both + " | " + rule.text() + " |\n";
  }

  private static boolean isOfSecurity(SettingRule rule) {
    return rule.name().matches("(security|ssl|sasl)[.].*");
  }

  private static String table(Predicate<SettingRule> wanted) {
    Map<String, String> defaults = defaults();
    return SettingTable.rules().stream().filter(wanted).map(rule -> row(rule, defaults))
        .collect(Collectors.joining("",
            "| name | what Decant does | default | why, or where it is in code |\n|---|---|---|---|\n", ""));
  }

  private static void assertTable(Path file, Predicate<SettingRule> wanted) throws IOException {
    String page = Files.readString(file);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table(wanted) + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(file, expected);
    }
    assertThat(Files.readString(file)).isEqualTo(expected);
  }

  @Test
  void tablesOfThePagesAreThoseOfTheCode() throws IOException {
    assertTable(PAGE, rule -> !isOfSecurity(rule));
    assertTable(SECURITY_PAGE, EverySettingPageTest::isOfSecurity);
  }

  /** A setting that is honoured only in the table would be lost in silence. */
  @Test
  void everyNameThatIsHonouredIsASettingOfItsOwner() {
    Map<String, String> defaults = defaults();
    assertThat(SettingTable.rules()).filteredOn(rule -> rule.treatment() == Treatment.HONOURED)
        .extracting(SettingRule::name).containsExactlyInAnyOrderElementsOf(defaults.keySet());
  }
}
