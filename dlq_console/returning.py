"""Back to where the person was, with the filter and the page they had."""

from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme

NEXT = "next"


def back_to(request: HttpRequest, otherwise: str) -> str:
    """The address the form names, if it is one of ours."""
    return _ours(request, request.POST.get(NEXT, "")) or otherwise


def came_from(request: HttpRequest) -> str:
    """The list that led here, if the address or the form names it: an action goes back there."""
    return _ours(request, request.GET.get(NEXT, "") or request.POST.get(NEXT, ""))


def page_before(request: HttpRequest, header: str = "Referer") -> str:
    """The page the browser was on, if it is one of ours; else the one that everybody begins with."""
    address = _ours(request, request.headers.get(header, ""))
    return urlunsplit(urlsplit(address)._replace(scheme="", netloc="")) or settings.LOGIN_REDIRECT_URL


def after_post(address: str) -> HttpResponse:
    """303: the browser gets the page, and reloading it repeats nothing."""
    response = HttpResponseRedirect(address)
    response.status_code = 303
    return response


def _ours(request: HttpRequest, wanted: str) -> str:
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return wanted if wanted and is_ours else ""
