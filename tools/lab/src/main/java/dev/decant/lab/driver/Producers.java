package dev.decant.lab.driver;

/** Opens the producer of the client that this JVM is for. */
final class Producers {
  private Producers() {}

  /**
   * Opens a producer.
   *
   * @param outcomes takes the outcome of each record that {@link MeasuredProducer#send} has sent
   * @param watched true to know {@link MeasuredProducer#resultNanos}
   */
  static MeasuredProducer open(WorkSpec spec, MeasuredProducer.Outcomes outcomes, boolean watched)
      throws InterruptedException {
    return spec.isDecant() ? new DecantProducer(spec, outcomes, watched) : new ApacheProducer(spec, outcomes, watched);
  }
}
