package dev.decant.lab.driver;

/** Opens the consumer of the client that this JVM is for. */
final class Consumers {
  private Consumers() {}

  /** Opens a consumer on all partitions of the work's topics; the sink takes each value. */
  static MeasuredConsumer open(WorkSpec spec, MeasuredConsumer.Sink sink) {
    return spec.isDecant() ? DecantConsumer.of(spec, sink) : ApacheConsumer.of(spec, sink);
  }

  /** Opens a consumer of values that begin with two times. */
  static MeasuredConsumer openStamped(WorkSpec spec, MeasuredConsumer.StampSink sink) {
    return spec.isDecant() ? DecantConsumer.ofStamped(spec, sink) : ApacheConsumer.ofStamped(spec, sink);
  }
}
