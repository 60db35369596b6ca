package dev.decant.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** The builder is that of Flink's sink. */
class DecantKafkaSinkBuilderTest {
  private static Set<String> methods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods()).filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> !method.isSynthetic()).map(DecantKafkaSinkBuilderTest::signature)
        .collect(Collectors.toSet());
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  @Test
  void methodsAreThoseOfFlinksBuilder() {
    assertThat(methods(DecantKafkaSinkBuilder.class)).isEqualTo(methods(KafkaSinkBuilder.class));
  }

  @Test
  void whatIsMissingIsNamed() {
    DecantKafkaSinkBuilder<String> builder = DecantKafkaSink.builder();
    assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class).hasMessageContaining("serializer");
    builder.setRecordSerializer(Job.serializer("t"));
    assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("setBootstrapServers");
    builder.setBootstrapServers("localhost:1").setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE);
    assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("setTransactionalIdPrefix");
    assertThatThrownBy(() -> builder.setTransactionalIdPrefix("ä".repeat(32_001)))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("64000");
    assertThat(builder.setTransactionalIdPrefix("p").build()).isNotNull();
  }

  @Test
  void sinkTravelsWithTheJob() throws Exception {
    DecantKafkaSink<String> sink = Job.decant("localhost:1", "t", DeliveryGuarantee.EXACTLY_ONCE,
        TransactionNamingStrategy.POOLING);
    assertThat(InstantiationUtil.clone(sink).getWriterStateSerializer()).isNotNull();
  }

  @Test
  void lineageIsThatOfFlinksSink() {
    assertThat(Job.decant("localhost:1", "numbers", DeliveryGuarantee.NONE,
        TransactionNamingStrategy.INCREMENTING).getLineageVertex().datasets())
        .singleElement().satisfies(set -> assertThat(set.name()).isEqualTo("numbers"));
  }
}
