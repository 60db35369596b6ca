package dev.decant.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalsTest {
  private static final String ERRORS = "org.apache.kafka.common.errors.";

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "TopicAuthorizationException: Not authorized: [x] | TOPIC_AUTHORIZATION_FAILED; give who connects (User:",
      "ClusterAuthorizationException: Cluster authorization failed. | CLUSTER_AUTHORIZATION_FAILED; give who connects",
      "PolicyViolationException: at most 3 partitions. | POLICY_VIOLATION, at most 3 partitions; except topics",
      "InvalidReplicationFactorException: 3 replicas, 1 broker. | 3 replicas, 1 broker; start as many brokers as",
      "TimeoutException: Timed out. | Timed out; check that the addresses which its brokers advertise",
      "UnknownServerException | created: org.apache.kafka.common.errors.UnknownServerException"})
  void aTopicThatIsNotCreatedIsOneLineWithWhereWhatWhyAndACure(String refusal, String told) {
    assertThat(Refusals.ofCreating("b:1", "decant-stress-12-3", ERRORS + refusal)).hasLineCount(1)
        .startsWith("the cluster at b:1 does not let the topic decant-stress-12-3 be created: ").contains(told);
  }

  @Test
  void rightsArePerPrefixBecauseEachTopicHasAnotherName() {
    assertThat(Refusals.ofCreating("b:1", "decant-stress-12-3", "TopicAuthorizationException"))
        .contains("topics with the prefix decant-stress-,");
  }

  @Test
  void aClusterThatCannotBeReachedIsToldWithWhatToCheck() {
    assertThat(Refusals.ofConnecting("b:1", "a.ConfigException: No resolvable bootstrap urls given"))
        .isEqualTo("no cluster at b:1: no such host is known here; check the name");
    assertThat(Refusals.ofConnecting("b:1", "a.SslException: broken."))
        .isEqualTo("no cluster at b:1: broken; check the address");
    assertThat(Refusals.ofSize("b:1", 3, 1)).contains("has 1 broker(s), and 3 are wanted");
  }
}
