package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadMeasured;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * All samples of one setup. Every figure is the median of its samples.
 *
 * @param setup the setup
 * @param samples at least one sample
 */
public record CarriersRow(Setup setup, List<LoadMeasured> samples) {

  /**
   * Returns the median of a figure over all samples.
   *
   * @param figure returns the figure of a sample
   * @return the median
   */
  public double median(ToDoubleFunction<LoadMeasured> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns the drift of the samples.
   *
   * @param figure returns the figure of a sample, which is positive
   * @return ratio of the largest to the smallest; 1 for a single sample
   */
  public double drift(ToDoubleFunction<LoadMeasured> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length - 1] / sorted[0];
  }

  /**
   * Returns the throughput of the measured connections.
   *
   * @return requests per second
   */
  public double requestsPerSecond() {
    return median(CarriersRow::requestsPerSecond);
  }

  static double requestsPerSecond(LoadMeasured sample) {
    return sample.requests() / sample.seconds();
  }

  /**
   * Returns the throughput of the connections that request computations.
   *
   * @return requests per second; 0 for the plain load
   */
  public double workRequestsPerSecond() {
    return median(CarriersRow::workRequestsPerSecond);
  }

  static double workRequestsPerSecond(LoadMeasured sample) {
    return sample.workRequests() / sample.seconds();
  }

  /**
   * Returns the median of a percentile of the latency.
   *
   * @param percentile one of those that are kept
   * @return microseconds
   */
  public double latencyMicros(double percentile) {
    return median(sample -> sample.latencyMicrosAt(percentile));
  }

  /**
   * Returns the processor time of the server.
   *
   * @return microseconds per request, computations included
   */
  public double serverCpuMicros() {
    return median(sample -> sample.serverCpuSeconds() * 1e6 / Math.max(1, allRequests(sample)));
  }

  private static long allRequests(LoadMeasured sample) {
    return sample.requests() + sample.workRequests();
  }

  /**
   * Returns the context switches of the server's threads, voluntary and involuntary.
   *
   * @return per request, computations included; the mean of all samples, by thread name, most first
   */
  public Map<String, Double> switchesPerRequest() {
    long requests = Math.max(1, samples.stream().mapToLong(CarriersRow::allRequests).sum());
    Map<String, Double> sums = new TreeMap<>();
    for (LoadMeasured sample : samples) {
      sample.switches().voluntary().forEach((name, count) -> sums.merge(name, (double) count / requests, Double::sum));
      sample.switches().involuntary()
          .forEach((name, count) -> sums.merge(name, (double) count / requests, Double::sum));
    }
    Map<String, Double> sorted = new java.util.LinkedHashMap<>();
    sums.entrySet().stream().sorted(Map.Entry.<String, Double>comparingByValue().reversed())
        .forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    return sorted;
  }
}
