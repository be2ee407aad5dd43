from spark_jobs.transforms.oldest import oldest
from tests.spark_jobs.frames import by_bucket, stay, stays, window


def ages(spark, *rows, **span):
    """Of the oldest at the end of each bucket, and the greatest in it, in minutes."""
    shown = by_bucket(
        oldest(stays(spark, *rows), window(**span)), "oldest_age_seconds", "oldest_age_max_seconds"
    )
    return {
        bucket: tuple(None if age is None else round(age / 60, 6) for age in both)
        for bucket, both in shown.items()
    }


def test_it_is_the_one_that_came_first_of_those_that_are_there(spark):
    assert ages(spark, stay(0.5, 2.5), stay(1.5, 4.5), stay(0.6, 0.9)) == {
        0: (0.5, 0.5),
        1: (1.5, 1.5),
        2: (1.5, 2.0),  # the first left at the age of two minutes
        3: (2.5, 2.5),
        4: (None, 3.0),
    }


def test_one_that_never_ends_hides_all_that_came_later(spark):
    assert ages(spark, stay(-60), stay(0.5, 1.5), stay(1), stop=2) == {0: (61, 61), 1: (62, 62)}


def test_one_that_came_in_the_same_instant_takes_over(spark):
    assert ages(spark, stay(0, 1.5), stay(0, 2.5), stop=3) == {0: (1, 1), 1: (2, 2), 2: (None, 2.5)}


def test_one_that_leaves_at_the_end_of_a_bucket_was_there_until_then(spark):
    assert ages(spark, stay(0.5, 2), stop=3) == {0: (0.5, 0.5), 1: (1.5, 1.5)}
