package dev.decant.lab.stress;

/**
 * Decant and the peer in one scenario and size.
 *
 * @param decant Decant's samples
 * @param peer samples of the peer, the control
 */
public record Ratio(Row decant, Row peer) {

  /**
   * Returns the ratio of the throughputs.
   *
   * @return Decant's to the peer's; more is better
   */
  public double recordsPerSecond() {
    return decant.median(Sample::recordsPerSecond) / peer.median(Sample::recordsPerSecond);
  }

  /**
   * Returns the ratio of the processor times.
   *
   * @return Decant's to the peer's; less is better
   */
  public double cpu() {
    return decant.median(Sample::cpuMicros) / peer.median(Sample::cpuMicros);
  }

  /**
   * Returns the ratio of the processor times without the JIT compiler's.
   *
   * @return Decant's to the peer's; less is better
   */
  public double cpuWithoutJit() {
    return decant.median(Ratio::cpuWithoutJit) / peer.median(Ratio::cpuWithoutJit);
  }

  private static double cpuWithoutJit(Sample sample) {
    return sample.cpuMicros() - Math.max(0, sample.jitCpuMicros());
  }

  /**
   * Returns the ratio of the allocated bytes.
   *
   * @return Decant's to the peer's; less is better
   */
  public double allocatedBytes() {
    return decant.median(Sample::allocatedBytes) / peer.median(Sample::allocatedBytes);
  }

  /**
   * Judges the throughput, given the drift of each client's own samples.
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
