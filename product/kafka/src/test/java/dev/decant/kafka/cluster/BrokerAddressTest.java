package dev.decant.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerAddressTest {
  @ParameterizedTest
  @CsvSource({"localhost:9092,localhost,9092", "10.0.0.1:1,10.0.0.1,1",
      "kafka-1.prod_x.example:65535,kafka-1.prod_x.example,65535",
      "[::1]:9092,::1,9092", "[fe80::1%eth0]:9092,fe80::1%eth0,9092"})
  void hostsAndPortsAreTakenApart(String text, String host, int port) {
    assertThat(BrokerAddress.parse(text, "bootstrap")).isEqualTo(new BrokerAddress(host, port));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '~', textBlock = """
      ''                     ~ is empty
      localhost              ~ has no port
      [::1]                  ~ has no port
      localhost:             ~ has the port '', which is no number
      localhost:0            ~ has the port '0'
      localhost:65536        ~ from 1 to 65535
      localhost:kafka        ~ has the port 'kafka'
      :9092                  ~ has no host
      ::1:9092               ~ put an IPv6 address into brackets
      http://localhost:9092  ~ is a URL
      SASL_SSL://a:9092      ~ is a URL
      a:9092;b:9092          ~ separate them by commas
      a:9092 b:9092          ~ separate them by commas
      a:9092|b:9092          ~ separate them by commas
      localhost:9092:9093    ~ has more than one port
      localhost:9092/kafka   ~ has the port '9092/kafka'
      [localhost]:9092       ~ has a host that is none
      """)
  void whatIsNoAddressIsRefusedWithWhatItIs(String text, String what) {
    assertThatIllegalArgumentException().isThrownBy(() -> BrokerAddress.parse(text, "bootstrap"))
        .withMessageStartingWith("bootstrap: '" + text + "' is not of the form host:port: it ")
        .withMessageContaining(what);
  }

  @ParameterizedTest
  @CsvSource({"user:hunter2@host:9092,***@host:9092", "kafka://user:hunter2@host:9092,kafka://***@host:9092",
      "user:hunter2@host,***@host"})
  void passwordInAnAddressIsNotPartOfTheError(String text, String shown) {
    assertThatIllegalArgumentException().isThrownBy(() -> BrokerAddress.parse(text, "bootstrap"))
        .withMessageStartingWith("bootstrap: '" + shown + "' is not of the form host:port: it ")
        .withMessageNotContaining("hunter2")
        .satisfies(e -> assertThat(String.valueOf(e.getCause())).doesNotContain("hunter2"));
  }
}
