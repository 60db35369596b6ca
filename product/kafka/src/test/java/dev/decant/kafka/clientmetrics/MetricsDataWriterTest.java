package dev.decant.kafka.clientmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.shaded.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.kafka.shaded.io.opentelemetry.proto.common.v1.KeyValue;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.Metric;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.MetricsData;
import org.apache.kafka.shaded.io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import org.junit.jupiter.api.Test;

/** Reads the encoder's output by OpenTelemetry's classes, as a broker's reporter does. */
class MetricsDataWriterTest {
  private static final long NOW = 1_700_000_000_123L;
  private static final long START = 1_600_000_000_456L;

  private static MetricsData parsed(MetricsDataWriter out) {
    try {
      return MetricsData.parseFrom(out.encoded());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static Metric only(MetricsDataWriter out) {
    List<Metric> metrics = parsed(out).getResourceMetrics(0).getScopeMetrics(0).getMetricsList();
    assertThat(metrics).hasSize(1);
    return metrics.getFirst();
  }

  @Test
  void gaugeHasNameTimeValueAndAttributes() {
    MetricsDataWriter out = new MetricsDataWriter(NOW);
    out.beginResource(Map.of());
    out.gauge("a.gauge", 2.5, Map.of("node_id", "node-1"));
    out.endResource();
    Metric metric = only(out);
    assertThat(metric.getName()).isEqualTo("a.gauge");
    assertThat(metric.hasGauge()).isTrue();
    NumberDataPoint point = metric.getGauge().getDataPoints(0);
    assertThat(point.getAsDouble()).isEqualTo(2.5);
    assertThat(point.getTimeUnixNano()).isEqualTo(NOW * 1_000_000);
    assertThat(point.getAttributesList()).extracting(KeyValue::getKey).containsExactly("node_id");
    assertThat(point.getAttributes(0).getValue().getStringValue()).isEqualTo("node-1");
  }

  @Test
  void sumHasItsStartAndItsTemporality() {
    for (boolean delta : new boolean[] {true, false}) {
      MetricsDataWriter out = new MetricsDataWriter(NOW);
      out.beginResource(Map.of());
      out.sum("a.sum", 1e15, START, delta);
      out.endResource();
      Metric metric = only(out);
      assertThat(metric.getSum().getIsMonotonic()).isTrue();
      assertThat(metric.getSum().getAggregationTemporality()).isEqualTo(delta
          ? AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
          : AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
      NumberDataPoint point = metric.getSum().getDataPoints(0);
      assertThat(point.getAsDouble()).isEqualTo(1e15);
      assertThat(point.getStartTimeUnixNano()).isEqualTo(START * 1_000_000);
    }
  }

  @Test
  void eachResourceHasItsAttributesAndMetrics() {
    MetricsDataWriter out = new MetricsDataWriter(NOW);
    out.beginResource(Map.of("group_id", "billing"));
    out.gauge("a", 1, Map.of());
    out.endResource();
    out.beginResource(Map.of("transactional_id", "tä"));
    out.gauge("b", -0.0, Map.of());
    out.gauge("c", Double.NaN, Map.of());
    out.endResource();
    MetricsData data = parsed(out);
    assertThat(out.metrics()).isEqualTo(3);
    assertThat(data.getResourceMetricsList()).hasSize(2);
    assertThat(data.getResourceMetrics(0).getResource().getAttributes(0).getValue().getStringValue())
        .isEqualTo("billing");
    assertThat(data.getResourceMetrics(1).getResource().getAttributes(0).getValue().getStringValue()).isEqualTo("tä");
    assertThat(data.getResourceMetrics(1).getScopeMetrics(0).getMetricsList()).extracting(Metric::getName)
        .containsExactly("b", "c");
  }

  /** Lengths take one byte up to 127, two up to 16383, then three. Each enclosing message moves by as many bytes. */
  @Test
  void lengthsOfAllSizesAreReadBack() {
    for (int length : new int[] {0, 1, 126, 127, 128, 16_382, 16_383, 16_384, 100_000}) {
      String name = "n".repeat(length);
      MetricsDataWriter out = new MetricsDataWriter(NOW);
      out.beginResource(Map.of("k", name));
      out.gauge(name, length, Map.of(name, "v"));
      out.endResource();
      Metric metric = only(out);
      assertThat(metric.getName()).isEqualTo(name);
      assertThat(metric.getGauge().getDataPoints(0).getAttributes(0).getKey()).isEqualTo(name);
    }
  }

  @Test
  void nothingIsWrittenWithoutAResource() {
    MetricsDataWriter out = new MetricsDataWriter(NOW);
    assertThat(out.encoded().remaining()).isZero();
    assertThat(parsed(out).getResourceMetricsList()).isEmpty();
  }
}
