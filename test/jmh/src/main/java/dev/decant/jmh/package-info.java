/** JMH benchmarks; each class names the command that runs it. */
@NullMarked
package dev.decant.jmh;

import org.jspecify.annotations.NullMarked;
