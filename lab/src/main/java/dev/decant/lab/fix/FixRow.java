package dev.decant.lab.fix;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All samples of one setup; every figure is the median of its samples.
 *
 * @param setup which
 * @param samples at least one
 */
public record FixRow(FixSetup setup, List<FixMeasured> samples) {

  /**
   * The median of a figure.
   *
   * @param figure which
   * @return over all samples
   */
  public double median(FixFigure figure) {
    double[] sorted = sorted(figure);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * How far the samples lie apart.
   *
   * @param figure which
   * @return largest to smallest; 1 for a single sample
   */
  public double drift(FixFigure figure) {
    double[] sorted = sorted(figure);
    return sorted[sorted.length - 1] / sorted[0];
  }

  private double[] sorted(FixFigure figure) {
    return samples.stream().mapToDouble(figure::of).sorted().toArray();
  }

  /**
   * Heap that each thread has allocated.
   *
   * @return bytes by the thread's name, the mean of all samples; without threads that never did
   */
  public Map<String, Double> bytesByThread() {
    Map<String, Double> bytes = new TreeMap<>();
    samples.forEach(sample -> sample.bytesByThread()
        .forEach((thread, count) -> bytes.merge(thread, (double) count / samples.size(), Double::sum)));
    return bytes;
  }

  /**
   * Collections of each collector.
   *
   * @return by its name, the mean of all samples; without collectors that never ran
   */
  public Map<String, Double> collectionsByCollector() {
    Map<String, Double> counts = new TreeMap<>();
    samples.forEach(sample -> sample.collectionsByCollector()
        .forEach((name, count) -> counts.merge(name, (double) count / samples.size(), Double::sum)));
    return counts;
  }
}
