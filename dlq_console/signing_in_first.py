"""A request that has to sign in first: the whole page is led there, and back to a page afterwards.

`login_required` answers every request alike: with a redirect, and back to its own address. htmx would put the
form it is led to into the row it asked for, and an address that takes only POST is no page to come back to.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict

from dlq_console.returning import page_before


def led_there(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    if not _leads_to_sign_in(response):
        return response
    if request.htmx:  # type: ignore[attr-defined]
        address = redirect_to_login(page_before(request, "HX-Current-URL")).url
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    if request.method not in ("GET", "HEAD"):
        return redirect_to_login(page_before(request))
    return response


def _leads_to_sign_in(response: HttpResponseBase) -> bool:
    """And back again: whoever signs out is led there too."""
    if not isinstance(response, HttpResponseRedirect):
        return False
    address = urlsplit(response.url)
    return address.path == settings.LOGIN_URL and REDIRECT_FIELD_NAME in QueryDict(address.query)
