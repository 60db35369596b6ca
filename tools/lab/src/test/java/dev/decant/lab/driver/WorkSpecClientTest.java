package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the name of a client decides which of the two implementations a JVM loads. */
class WorkSpecClientTest {
  @ParameterizedTest
  @CsvSource({"decant, true", "decant-apache, false", "decant-0.1.0-before, true", "kafka-clients-4.3.1, false",
      "bare-socket, false"})
  void everyBuildOfDecantIsCalledByItsOwnInterface(String client, boolean isDecant) {
    WorkSpec spec = new WorkSpec(client, WorkKind.named("produce"), WorkSpec.Access.plain(""), WorkSpec.Topics.one(1),
        new WorkSpec.Load(100, "", 1, false, 0, 1, 0, WorkSpec.Keys.NONE, WorkSpec.Handlers.NONE),
        new WorkSpec.Amount(1, 0, 1, 0, 0, 0), Map.of(), Map.of());

    assertThat(spec.isDecant()).isEqualTo(isDecant);
  }
}
