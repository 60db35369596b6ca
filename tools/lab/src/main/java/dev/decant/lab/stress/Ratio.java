package dev.decant.lab.stress;

/**
 * Decant beside the peer in one scenario and size.
 *
 * @param decant our samples
 * @param peer the control's
 */
public record Ratio(Row decant, Row peer) {

  /**
   * Throughput.
   *
   * @return ours to theirs; more is better
   */
  public double recordsPerSecond() {
    return decant.median(Sample::recordsPerSecond) / peer.median(Sample::recordsPerSecond);
  }

  /**
   * Processor time.
   *
   * @return ours to theirs; less is better
   */
  public double cpu() {
    return decant.median(Sample::cpuMicros) / peer.median(Sample::cpuMicros);
  }

  /**
   * Processor time without the JIT compiler's.
   *
   * @return ours to theirs; less is better
   */
  public double cpuWithoutJit() {
    return decant.median(Ratio::cpuWithoutJit) / peer.median(Ratio::cpuWithoutJit);
  }

  private static double cpuWithoutJit(Sample sample) {
    return sample.cpuMicros() - Math.max(0, sample.jitCpuMicros());
  }

  /**
   * Allocation.
   *
   * @return ours to theirs; less is better
   */
  public double allocatedBytes() {
    return decant.median(Sample::allocatedBytes) / peer.median(Sample::allocatedBytes);
  }

  /**
   * What the throughput says, given how much each client's own samples differ.
   *
   * @return {@code better}, {@code worse} or {@code inconclusive}
   */
  public String verdict() {
    double drift = Math.max(decant.drift(Sample::recordsPerSecond), peer.drift(Sample::recordsPerSecond));
    double effect = recordsPerSecond();
    if (Math.max(effect, 1 / effect) <= drift) {
      return "inconclusive";
    }
    return effect > 1 ? "better" : "worse";
  }
}
