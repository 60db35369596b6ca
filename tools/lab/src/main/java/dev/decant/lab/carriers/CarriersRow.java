package dev.decant.lab.carriers;

import dev.decant.lab.load.LoadMeasured;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * All samples of one setup; every figure is the median of its samples.
 *
 * @param setup which
 * @param samples at least one
 */
public record CarriersRow(Setup setup, List<LoadMeasured> samples) {

  /**
   * The median of a figure.
   *
   * @param figure of one sample
   * @return over all samples
   */
  public double median(ToDoubleFunction<LoadMeasured> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * How far the samples lie apart.
   *
   * @param figure of one sample, positive
   * @return largest to smallest; 1 for a single sample
   */
  public double drift(ToDoubleFunction<LoadMeasured> figure) {
    double[] sorted = samples.stream().mapToDouble(figure).sorted().toArray();
    return sorted[sorted.length - 1] / sorted[0];
  }

  /**
   * Throughput of the connections that are shown.
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
   * Throughput of the connections that ask for computations.
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
   * The median of a percentile of the latency.
   *
   * @param percentile one of those that are kept
   * @return microseconds
   */
  public double latencyMicros(double percentile) {
    return median(sample -> sample.latencyMicrosAt(percentile));
  }

  /**
   * Processor time of the server.
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
   * Context switches of the server's threads, both kinds.
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
