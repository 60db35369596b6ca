/** One-shot, reusable completions: a result is signalled, never slept for. */
@NullMarked
package dev.decant.completion;

import org.jspecify.annotations.NullMarked;
