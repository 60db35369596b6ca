package dev.decant.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests Kerberos by Kafka's names. */
@Timeout(60)
class GssapiSettingsTest {
  private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
  private static final String SERVICE = "sasl.kerberos.service.name";
  private static final String HOST = "127.0.0.1";

  @TempDir
  private Path directory;

  @AfterEach
  void forgetTheContexts() {
    Configuration.setConfiguration(null);
  }

  private static Map<String, String> properties(String options, String... more) {
    Map<String, String> properties = new HashMap<>(Map.of("sasl.mechanism", "GSSAPI", SERVICE, "kafka"));
    if (!options.isEmpty()) {
      properties.put("sasl.jaas.config", MODULE + " required " + options + ";");
    }
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return properties;
  }

  private static String client(SaslMechanism mechanism, Path brokerKeytab) throws Exception {
    GssapiBroker broker = GssapiBroker.begin(GssapiBroker.service(brokerKeytab, "kafka/" + HOST), HOST, "auth");
    try (SaslExchange exchange = mechanism.begin(new SaslPeer(HOST, 9092, false))) {
      byte[] message = exchange.initialResponse();
      while (!exchange.isComplete()) {
        message = exchange.respond(broker.respond(message));
      }
    }
    return broker.client();
  }

  @Test
  @EnabledIf(value = GssapiModule.IS_THERE, disabledReason = GssapiModule.MISSING)
  void filesThatWorkWithKafkasClientWorkHere() throws Exception {
    try (TestKdc kdc = TestKdc.start(directory)) {
      Path broker = kdc.keytab("broker.keytab", "kafka/" + HOST);
      Path keytab = kdc.keytab("orders.keytab", "orders");
      Path cache = kdc.ticketCache("cache", "auditor");
      assertThat(client(Sasl.fromProperties(properties("useKeyTab=true storeKey=true keyTab=\"" + keytab
          + "\" principal=\"orders@EXAMPLE.COM\"", "sasl.kerberos.ticket.renew.window.factor", "0.9",
          "sasl.kerberos.ticket.renew.jitter", "0.01", "sasl.kerberos.min.time.before.relogin", "1000",
          "sasl.kerberos.kinit.cmd", "/usr/bin/kinit")), broker)).isEqualTo("orders@EXAMPLE.COM");
      assertThat(client(Sasl.fromProperties(properties("useTicketCache=true ticketCache=\"" + cache
          + "\" serviceName=\"kafka\"", SERVICE, "")), broker)).isEqualTo("auditor@EXAMPLE.COM");
      configure("KafkaClient", Map.of("useKeyTab", "true", "keyTab", keytab.toString(), "principal", "orders",
          "refreshKrb5Config", "true", "serviceName", "kafka"));
      assertThat(client(Sasl.fromProperties(properties("", SERVICE, "")), broker)).isEqualTo("orders@EXAMPLE.COM");
    }
  }

  private static void configure(String context, Map<String, String> options) {
    Configuration.setConfiguration(new Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
        return name.equals(context)
            ? new AppConfigurationEntry[] {new AppConfigurationEntry(MODULE, LoginModuleControlFlag.REQUIRED, options)}
            : new AppConfigurationEntry[0];
      }
    });
  }

  @Test
  void serviceNameIsNeededOnce() {
    assertThatThrownBy(() -> Sasl.fromProperties(properties("useTicketCache=true", SERVICE, "")))
        .isInstanceOf(IllegalArgumentException.class).hasMessage(SERVICE
            + ": is missing; set the first part of the brokers' principals, such as kafka of kafka/host@REALM");
    assertThatThrownBy(() -> Sasl.fromProperties(properties("useTicketCache=true serviceName=other")))
        .hasMessage(SERVICE + ": contradicts serviceName of the login module; remove one of them");
    assertThatThrownBy(() -> Sasl.fromProperties(properties("useTicketCache=true", SERVICE, "kafka/host")))
        .hasMessageStartingWith(SERVICE + ": service name \"kafka/host\": give the first part");
  }

  @Test
  void loginThatNeedsSomebodyToTypeIsRefused() {
    assertThatThrownBy(() -> Sasl.fromProperties(properties("principal=orders")))
        .isInstanceOf(IllegalArgumentException.class).hasMessage("sasl.jaas.config: Krb5LoginModule has neither"
            + " useKeyTab=true nor useTicketCache=true, and would ask for a password; set one of them");
    assertThatThrownBy(() -> Sasl.fromProperties(properties("useKeyTab=true keyTab=\"/k\"")))
        .hasMessage("sasl.jaas.config: the option principal is missing, which useKeyTab=true needs");
  }

  @Test
  void neitherLoginModuleNorContextIsOneLine() {
    configure("Another", Map.of());
    assertThatThrownBy(() -> Sasl.fromProperties(properties(""))).isInstanceOf(IllegalArgumentException.class)
        .hasMessage("sasl.jaas.config: is missing; GSSAPI takes " + MODULE
            + " required ..., or the context KafkaClient in the file of java.security.auth.login.config");
  }

  @ParameterizedTest
  @CsvSource({"ticket.renew.window.factor,0", "ticket.renew.window.factor,1.1", "ticket.renew.jitter,-1",
      "ticket.renew.jitter,NaN", "min.time.before.relogin,-1", "min.time.before.relogin,0.5",
      "min.time.before.relogin,soon"})
  void numberThatCannotHoldIsNamed(String name, String value) {
    assertThatThrownBy(() -> Sasl.fromProperties(properties("useTicketCache=true", "sasl.kerberos." + name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("sasl.kerberos." + name + ": \"" + value + "\" is no number ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"org.apache.kafka.common.security.plain.PlainLoginModule", "com.ibm.security.Krb5LoginModule"})
  void anotherLoginModuleIsRefusedWithTheOneThatFits(String module) {
    assertThatThrownBy(() -> Sasl.fromProperties(Map.of("sasl.mechanism", "GSSAPI", SERVICE, "kafka",
        "sasl.jaas.config", module + " required useTicketCache=true;"))).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(MODULE);
  }
}
