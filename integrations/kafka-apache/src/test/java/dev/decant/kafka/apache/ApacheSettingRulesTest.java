package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.decant.kafka.apache.ApacheSetting.Handling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;

/**
 * Runs with two releases of Apache's clients. The table of docs/swap-in-settings.md must equal that of the code;
 * -Ddocs.write=true writes it again.
 */
class ApacheSettingRulesTest {
  private static final Path PAGE = Path.of("../../docs/swap-in-settings.md");
  private static final String BEGIN = "<!-- names -->\n";

  private static Set<String> apachesNames() {
    Set<String> names = new TreeSet<>(ProducerConfig.configNames());
    names.addAll(ConsumerConfig.configNames());
    return names;
  }

  private static List<String> listed() {
    return ApacheSettingRules.listed().stream().map(ApacheSetting::name).toList();
  }

  private static String table(Collection<ApacheSetting> rules) {
    return rules.stream().map(rule -> "| `" + rule.name() + "` | " + rule.treatment() + " | " + rule.text() + " |\n")
        .collect(Collectors.joining("",
            "| name | what becomes of it | what to know, or what to do instead |\n|---|---|---|\n", ""));
  }

  /** A prefix is no rule for a name, because a new name would be in no table. */
  @Test
  void everyNameOfApachesProducerAndConsumerHasARuleOfItsOwn() {
    Set<String> missing = apachesNames();
    missing.removeAll(listed());

    assertThat(missing).as("names of this release that are not in the table").isEmpty();
  }

  @Test
  void everyRuleIsForANameThatTheNewestReleaseOrAnOldOneHas() {
    assumeTrue(ProducerConfig.configNames().contains("partitioner.rack.aware"), "a release before 4.4");
    Set<String> invented = new TreeSet<>(listed());
    invented.removeAll(apachesNames());

    assertThat(invented).containsExactlyInAnyOrder("config.providers.*", "auto.include.jmx.reporter",
        "internal.leave.group.on.close", "decant.fetch.memory.bytes", "decant.fetch.memory.consumers",
        "decant.revocation.timeout.ms",
        "decant.runtime.check.enable", "decant.tls.memory.bytes");
  }

  @Test
  void everythingThatIsNotDoneHasAReason() {
    assertThat(ApacheSettingRules.listed())
        .filteredOn(rule -> rule.handling() == Handling.NO_EFFECT || rule.handling() == Handling.REFUSED).isNotEmpty()
        .allSatisfy(rule -> assertThat(rule.text()).as(rule.name()).isNotBlank());
  }

  /** A program with Apache's interfaces has no builder of the native client. */
  @Test
  void noTextSpeaksOfTheNativeClientsCalls() {
    assertThat(ApacheSettingRules.listed()).filteredOn(rule -> rule.handling() == Handling.MAPPED)
        .allSatisfy(rule -> assertThat(rule.text()).as(rule.name())
            .doesNotContainPattern("`[a-z]+[A-Z]|KafkaClient|Builder|TlsSettings|[Bb]uilder"));
  }

  @Test
  void nameThatNoReleaseHasIsFoundByItsPrefixOrNotAtAll() {
    assertThat(ApacheSettingRules.of("schema.registry.url")).isNull();
    assertThat(Objects.requireNonNull(ApacheSettingRules.of("sasl.something.new")).handling())
        .isEqualTo(Handling.REFUSED);
    assertThat(Objects.requireNonNull(ApacheSettingRules.of("config.providers.file.class")).handling())
        .isEqualTo(Handling.HERE);
  }

  @Test
  void theTableOfThePageIsThatOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf(BEGIN) + BEGIN.length();
    String expected = page.substring(0, from) + table(ApacheSettingRules.listed())
        + page.substring(page.indexOf("<!-- end -->", from));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(PAGE, expected);
    }

    assertThat(Files.readString(PAGE)).isEqualTo(expected);
  }
}
