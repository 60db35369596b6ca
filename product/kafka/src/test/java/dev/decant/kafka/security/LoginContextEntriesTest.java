package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests clients without {@code sasl.jaas.config}, in a JVM with a login configuration. */
class LoginContextEntriesTest {
  private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
  private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";

  private static void configure(String context, String... modules) {
    Configuration.setConfiguration(new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
        AppConfigurationEntry[] entries = new AppConfigurationEntry[name.equals(context) ? modules.length : 0];
        for (int i = 0; i < entries.length; i++) {
          entries[i] = new AppConfigurationEntry(modules[i], LoginModuleControlFlag.REQUIRED,
              Map.of("username", "user" + i, "password", "secret" + i, "depth", i));
        }
        return entries;
      }
    });
  }

  @AfterEach
  void forget() {
    Configuration.setConfiguration(null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
  void entryOfTheMechanismsModuleIsTaken(String mechanism) {
    configure("KafkaClient", SCRAM, PLAIN);

    assertThat(LoginContextEntries.optionsOf(PLAIN)).isEqualTo(
        Map.of("username", "user1", "password", "secret1", "depth", "1"));
    SaslMechanism read = Sasl.fromProperties(Map.of("sasl.mechanism", mechanism));
    assertThat(read.name()).isEqualTo(mechanism);
    assertThat(read.toString()).doesNotContain("secret");
  }

  @Test
  void whatIsConfiguredForAClientComesFirst() {
    configure("KafkaClient", PLAIN);

    assertThatThrownBy(() -> Sasl.fromProperties(Map.of("sasl.mechanism", "PLAIN", "sasl.jaas.config",
        PLAIN + " required username=\"alice\";"))).hasMessage(
            "sasl.jaas.config: the option password is missing or empty");
  }

  @Test
  void contextWithoutTheModuleIsOneLine() {
    configure("KafkaClient", SCRAM);

    assertThatThrownBy(() -> Sasl.fromProperties(Map.of("sasl.mechanism", "PLAIN")))
        .isInstanceOf(IllegalArgumentException.class).hasMessage("sasl.jaas.config: is missing; PLAIN takes " + PLAIN
            + " required ..., here or in the context KafkaClient of the file of java.security.auth.login.config");
    configure("KafkaServer", PLAIN);
    assertThatThrownBy(() -> Sasl.fromProperties(Map.of("sasl.mechanism", "PLAIN"))).hasMessageContaining("is missing");
  }
}
