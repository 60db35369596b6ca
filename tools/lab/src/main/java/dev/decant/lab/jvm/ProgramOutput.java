package dev.decant.lab.jvm;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The output of a program that has ended, on both of its streams.
 *
 * @param exitCode exit code of the program
 * @param lines lines of its output
 */
public record ProgramOutput(int exitCode, List<String> lines) {

  /**
   * Starts a program without input, and waits for its end and the end of its output. After the time limit it is killed,
   * with all processes that it has started.
   *
   * @param command the program and its arguments
   * @param patience time limit for the program and its child processes, which may write after it has ended
   * @return the output
   * @throws IOException if it cannot be started
   * @throws ExecutionException if its output cannot be read; the cause says why
   * @throws TimeoutException after the time limit
   * @throws InterruptedException if this thread was interrupted
   */
  public static ProgramOutput of(List<String> command, Duration patience)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      FutureTask<List<String>> output = new FutureTask<>(() -> process.inputReader().lines().toList());
      // no thread of the common pool: a reader whose program does not end its output may block for long
      Thread.ofPlatform().daemon().name("output of " + command.get(0)).start(output);
      if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new TimeoutException();
      }
      List<String> lines = output.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      return new ProgramOutput(process.exitValue(), lines);
    } finally {
      List<ProcessHandle> children = process.descendants().toList(); // none if it has ended
      process.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
