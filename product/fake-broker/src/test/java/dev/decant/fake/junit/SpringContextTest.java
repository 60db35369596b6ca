package dev.decant.fake.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Tests that a failed context of Spring leaves no cluster behind. */
@Timeout(30)
class SpringContextTest {
  @FakeKafka(topics = "orders")
  static final class Tested {}

  private static void customize(GenericApplicationContext context) {
    ContextCustomizer customizer = Objects.requireNonNull(
        new FakeKafkaContextCustomizerFactory().createContextCustomizer(Tested.class, List.of()));
    customizer.customizeContext(context,
        new MergedContextConfiguration(Tested.class, new String[0], new Class<?>[0], new String[0], null));
  }

  private static Set<Thread> clusters() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("decant-fake-cluster")).collect(Collectors.toSet());
  }

  /** The bean could not be registered, and the cluster was left running. */
  @Test
  void aContextThatHasSuchABeanAlreadyLeavesNoClusterBehind() {
    Set<Thread> before = clusters();
    try (GenericApplicationContext context = new GenericApplicationContext()) {
      context.getBeanFactory().registerSingleton("fakeKafka", "another");
      assertThatThrownBy(() -> customize(context)).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("fakeKafka");
    }
    assertThat(before).containsAll(clusters());
  }
}
